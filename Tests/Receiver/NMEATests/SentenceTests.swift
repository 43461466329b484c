import Base
import GNSS
@testable import Decoding
import Sentences
import Testing

private func errors(_ content: String) -> [NMEAError] { decode(nmeaSentence(content)).errors }
private func epoch(_ contents: String...) throws -> Epoch {
  try #require(decode(contents.map(nmeaSentence).joined()).epochs.first)
}

@Test(arguments: [
  ("211126,3.1,E", nil), ("211126,,", nil), ("211126,0,A", FixQuality.autonomous), ("211126,,,D", .differential),
  ("211126,,,A,S", .autonomous), ("211126,,,A,C", .autonomous), ("211126,,,A,U", .autonomous),
  ("211126,,,A,V", .autonomous), ("211126,,,0", nil), ("2111-1,,,A", .autonomous), (",,,A", .autonomous),
  ("000000,,,A", .autonomous),
])
func `RMC has 11, 12 or 13 fields`(end: String, quality: FixQuality?) throws {
  let recorder = decode(nmeaSentence("GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,\(end)"))
  #expect(recorder.errors == [] && recorder.unreadable == [])
  let epoch = try #require(recorder.epochs.first)
  #expect(epoch.quality == quality && epoch.coordinate != nil)
  #expect((epoch.date == nil) == !end.hasPrefix("211126"))
}

@Test(arguments: [
  ("A", FixQuality.autonomous), ("C", nil), ("D", .differential), ("E", .estimated), ("F", .rtkFloat), ("M", .manual),
  ("N", .invalid), ("P", .precise), ("R", .rtkFixed), ("S", .simulator), ("U", nil), ("V", .invalid), ("0", nil),
])
func `every mode letter is known`(letter: String, quality: FixQuality?) {
  let recorder = decode(nmeaSentence("GPGLL,4807.038,N,01131.000,E,123519,A,\(letter)"))
  #expect(recorder.errors == [] && recorder.epochs.map(\.quality) == [quality])
  #expect(recorder.epochs.map { $0.coordinate == nil } == [quality == .invalid])
}

@Test(arguments: 0...8)
func `every quality of GGA is known`(value: Int) {
  let epoch = decode(nmeaSentence("GPGGA,123519,4807.038,N,01131.000,E,\(value),08,0.9,545.4,M,46.9,M,,")).epochs.first
  #expect(epoch?.quality?.rawValue == value)
  // A repeated position with the quality 0 is no fix.
  #expect((epoch?.coordinate == nil) == (value == 0))
  #expect(epoch?.mode == (value == 0 ? nil : .threeDimensional))
  #expect(epoch?.altitude == (value == 0 ? nil : 545.4))
  if value > 0 { #expect(epoch?.geoidSeparation == 46.9) }
}

@Test(arguments: [
  "GPVTG,,,,,,,,,N", "GPVTG,,T,,M,,N,,K", "GPVTG,054.7,T,034.4,M,005.5,N,010.2,K", "GPGGA,,,,,,0,00,99.99,,,,,,",
  "GPVTG,054.7,034.4,005.5,010.2", "GPGLL,4807.038,N,01131.000,E", "GPGLL,,,,",
  "GPRMC,,V,,,,,,,,,,N", "GPGLL,,,,,,V,N", "GPGST,,,,,,,,", "GPZDA,,,,,,", "GPZDA,123519,21,11,2026,-01,00",
  "GPGSA,A,1", "GPGSA,A,1,,,,", "GPGSA,A,1,,,,,,,,,,,,,,,",
  "GNDTM,W84,,0.0,N,0.0,E,0.0,W84",
  "PGRME,,M,,M,,M", "PQTMEPE,2,,,,,",
  "GNGNS,103600.01,5114.5,N,00012.2,W,ANNN,07,1.18,111.5,45.6,,,V",
  "GNGNS,122310.0,,,,,NN,00,,,,,", "GPGNS,103600.01,5114.5,N,00012.2,W,A,07,1.18,111.5,45.6,,",
  "GPGSV,1,1,00", "GAGSV,1,1,00,7",
])
func `sentences with few fields are valid`(content: String) {
  let recorder = decode(nmeaSentence(content))
  #expect(recorder.errors == [] && recorder.sentences == 1)
}

/// Sentences of other people's receivers, and the fields that cannot be read.
private let oddSentences: [(String, [String])] = [
  // Too few fields, in old formats and from converters.
  ("GPGGA,123519,4807.038,N,01131.000,E,2,6,0.9,11.8,M,,M", []), ("GPGGA,123519,4807.038,N,01131.000,E,1", []),
  ("GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,211126", []), ("GPRMC,123519,A,4807.038,N,01131.000,E", []),
  ("GNGNS,103600.01,5114.5,N,00012.2,W,ANN", []), ("GPGLL,4807.038,N,01131.000,E,123519", []),
  ("GPVTG,1.0,T,,M,005.5,N", []), ("GPVTG,1.0,T", []), ("GPGST,123519,,,,,1.5", []), ("GPDTM,W84", []),
  // Too many fields.
  ("GPGSV,1,1,01,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45,1,9", ["GSV field 20"]),
  ("GPGSA,A,3,01,02", ["GSA field 3"]),
  // Fields that are no numbers, or have other letters.
  ("GNRMC,123519,D,4807.038,N,01131.000,E,5.0,45.0,211126,,,R,S", []),
  ("GPRMC,123519,A,4807.038,N,01131.000,E,,,310226,,,A", ["RMC field 9"]),
  ("GPRMC,123519,A,4807.038,N,01131.000,E,,,21112,,,A", ["RMC field 9"]),
  ("GPRMC,123519,A,4807.038,N,01131.000,E,,,211126,,,Q", ["RMC field 12"]),
  ("GPRMC,123519,A,4807.038,N,01131.000,E,,,211126,3,XY,A", ["RMC field 11"]),
  ("GPRMC,123519,A,4807.038,N,01131.000,E,-1,,211126,,,A", ["RMC field 7"]),
  ("GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,5,F,,M,,", ["GGA field 10"]),
  ("GPGGA,123519,4807.038,N,01131.000,E,2,08,0.9,5,M,,M, 1.0,0000", ["GGA field 13"]),
  ("GPGGA,123519,4807.038,N,01131.000,E,2,08,0.9,5,M,,M,1.0,EGNOS", ["GGA field 14"]),
  ("GPGGA,123519,4807.038,N,01131.000,E,1,08,-0.01,5,M,,M,,", ["GGA field 8"]),
  ("GPGSA,X,3,,,,,,,,,,,,,1,1,1", ["GSA field 1"]), ("GPGSA,A,4,,,,,,,,,,,,,1,1,1", ["GSA field 2"]),
  ("GPGSA,A,3,xx,,,,,,,,,,,,1,1,1", ["GSA field 3"]), ("GPVTG,1,X,,M,,N,,K", ["VTG field 2"]),
  ("GPGSV,1,1,01,xx,40,083,46", ["GSV field 4"]), ("GPGSV,3,1,0,4", []),
  ("GPGSV,1,1,01,05,40,083, 46", ["GSV field 7"]),
  ("GNGNS,103600.01,5114.5,N,00012.2,W,AXN,07,1.18,111.5,45.6,,,V", ["GNS field 6"]),
  ("PUBX,00,081350.00,4717.1,N,00833.9,E,546.5,G3,2.1,x,0.007", ["PUBX,00 field 10"]),
]

@Test(arguments: oddSentences.indices)
func `a field that the fix does not need is unknown and counted, and the sentence is used`(index: Int) {
  let (content, unreadable) = oddSentences[index]
  let recorder = decode(nmeaSentence(content))
  #expect(recorder.errors == [] && recorder.sentences == 1)
  #expect(recorder.unreadable == unreadable)
  let hasPosition = ["GGA", "RMC", "GNS", "GLL", "PUBX"].contains { content.dropFirst(2).hasPrefix($0) }
  if hasPosition { #expect(recorder.epochs.first?.coordinate != nil) }
}

@Test(arguments: [
  ("GPGGA,123519,4807.038,N,01131.000,E", SentenceType.gga, 5), ("GPRMC,123519,A,4807.038,N", .rmc, 4),
  ("GPGST,1", .gst, 1), ("GPGSV,1,1", .gsv, 2), ("GNGNS,123519,,,,", .gns, 5),
  ("PUBX,00,1", .pubxPosition, 2), ("PUBX,04,1", .pubxTime, 2), ("PGRME,1.0,M", .positionError, 2),
  ("PQTMEPE,2,1,1,1,1", .positionError, 5), ("GPZDA,1,2,3", .zda, 3), ("GPGSA,A", .gsa, 1), ("GPVTG,1", .vtg, 1),
  ("GPGGA,123519,x,N,01131.000", .gga, 4), ("GPRMC,123519,A,4807.038,N,01131.000", .rmc, 5), ("GPRMC,x", .rmc, 1),
  ("GPGLL,4807.038,N,01131.000", .gll, 3), ("GPGLL,", .gll, 1), ("GPGLL,,,", .gll, 3),
])
func `without a field that decides, the sentence is invalid, also if another field is malformed`(
  content: String, type: SentenceType, count: Int
) {
  #expect(errors(content) == [.fieldCount(type, count)])
}

@Test(arguments: [
  ("GPRMC,123519,X,4807.038,N,01131.000,E,,,211126,,,A", SentenceType.rmc, 2),
  ("GPGGA,1235190,4807.038,N,01131.000,E,1,08,0.9,,M,,M,,", .gga, 1),
  ("GPGGA,99,4807.038,N,01131.000,E,1,08,0.9,,M,,M,,", .gga, 1),
  ("GPGGA,126019,4807.038,N,01131.000,E,1,08,0.9,,M,,M,,", .gga, 1),
  ("GPGGA,240000,4807.038,N,01131.000,E,1,08,0.9,,M,,M,,", .gga, 1),
  ("GPGGA,123460.5,4807.038,N,01131.000,E,1,08,0.9,,M,,M,,", .gga, 1),
  ("GPGGA,225960,4807.038,N,01131.000,E,1,08,0.9,,M,,M,,", .gga, 1),
  ("GPGGA,123519x00,4807.038,N,01131.000,E,1,08,0.9,,M,,M,,", .gga, 1),
  ("GPGGA,123519,4807.038,N,01131.000,E,10,08,0.9,,M,,M,,", .gga, 6),
  ("IIGGA,123519,4807.038,N,01131.000,E,DGNSS fix,8,1,0,M,0,M,,", .gga, 6),
  ("GPGLL,4807.038,N,01131.000,E,123519,Q", .gll, 6), ("GNGNS,103600.01,5114.5,N,00012.2,W,XX,07", .gns, 6),
  ("PUBX,00,081350.00,4717.1,N,00833.9,E,546.5,G9,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0", .pubxPosition, 8),
])
func `a malformed time, position or validity invalidates the sentence and is reported`(
  content: String, type: SentenceType, field: Int
) {
  #expect(errors(content) == [.invalidField(type, field: field)])
}

@Test(arguments: [
  ("0.00", nil as Double?, true), ("0", nil, true), ("-1", nil, true), ("x", nil, true), ("", nil, false),
  ("99.00", 99, false), ("99.99", 99.99, false), ("9999.0", 9999, false),
])
func `a dilution of 0 is unknown, and one of 99 is a bad one if there is a fix`(
  text: String, dilution: Double?, isDenied: Bool
) throws {
  let gsa = "GPGSA,A,3,01,,,,,,,,,,,,\(text),\(text),\(text)"
  let fix = try epoch("GPGGA,123519,4807.038,N,01131.000,E,1,08,\(text),5,M,,M,,", gsa)
  #expect(
    fix.dilutionOfPrecision == DilutionOfPrecision(horizontal: dilution, vertical: dilution, position: dilution))
  #expect(fix.deniesAccuracy == isDenied)
  #expect(try epoch("GPGGA,123519,,,,,0,00,\(text),,M,,M,,", gsa).dilutionOfPrecision == DilutionOfPrecision())
}

@Test func `without a fix, a dilution below 99 is known`() throws {
  let without = try epoch("GPGGA,123519,,,,,0,00,98.99,,M,,M,,", "GPGSA,A,1,,,,,,,,,,,,,98.97,98.99,98.98")
  #expect(
    without.dilutionOfPrecision == DilutionOfPrecision(horizontal: 98.99, vertical: 98.98, position: 98.97))
}

@Test(arguments: [
  ("GPGSA,A,3,01,,,,,,,,,,,,1.5,0,1.5", true), ("GPGSA,A,3,01,,,,,,,,,,,,1.5,x,1.5", true),
  ("GPGST,123519,,,,,0.0,1.5,3.0", true), ("GPGST,123519,,,,,1.5,-1,3.0", true), ("GPGST,123519,,,,,x,x,x", true),
  ("PGRME,0.0,M,6.2,M,7.8,M", true), ("PGRME,4.7,F,6.2,M,7.8,M", true), ("PQTMEPE,2,1,1,1,x,1", true),
  ("PUBX,00,123519,4807.038,N,01131.000,E,5,G3,0.0,2,36,77,0,,0.9,1,1,9,0,0", true),
  // An empty field, and the fields of a sentence without a fix.
  ("GPGSA,A,3,01,,,,,,,,,,,,1.5,,1.5", false), ("GPGSA,A,1,,,,,,,,,,,,,0,0,0", false),
  ("GPGST,123519,,,,,,,", false), ("PGRME,,M,,M,,M", false), ("PQTMEPE,2,,,,,", false),
  ("PUBX,00,123519,4807.038,N,01131.000,E,5,NF,0.0,2,36,77,0,,0,1,1,9,0,0", false),
])
func `an accuracy that is 0 or that cannot be read is denied, and an empty one is not`(
  content: String, isDenied: Bool
) throws {
  #expect(try epoch("GPRMC,123519,A,4807.038,N,01131.000,E,,,211126,,,A", content).deniesAccuracy == isDenied)
}

@Test(arguments: [
  ("123519", 12, 35, 19, 0), ("123519.", 12, 35, 19, 0), ("123519.5", 12, 35, 19, 500_000_000),
  ("123519.25", 12, 35, 19, 250_000_000), ("123519.123456789", 12, 35, 19, 123_456_789),
  ("84507.00", 8, 45, 7, 0), ("4507", 0, 45, 7, 0), ("7.0", 0, 0, 7, 0), ("0", 0, 0, 0, 0),
])
func `a time may have up to nine decimals, and no leading zeros`(
  text: String, hour: Int, minute: Int, second: Int, nanosecond: Int
) throws {
  let time = try epoch("GPGLL,4807.038,N,01131.000,E,\(text),A,A").timeOfDay
  #expect(time == TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond))
}

@Test func `PUBX 00 contains a position with its errors`() throws {
  let epoch = try epoch(
    "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,36.0,77.52,0.007,,0.92,1.19,0.77,9,0,0")
  #expect(epoch.coordinate?.latitude == 2837.11321 / 60)
  #expect((epoch.speed, epoch.horizontalAccuracy, epoch.quality) == (10, 2.1, .autonomous))
  #expect(epoch.satellitesUsed == 9 && epoch.altitude == nil)
}

@Test(
  arguments: [
    ("", .invalid), ("NF", .invalid), ("DR", .estimated), ("G2", .autonomous), ("G3", .autonomous),
    ("D2", .differential),
    ("D3", .differential), ("RK", .estimated), ("TT", .invalid),
  ] as [(String, FixQuality)])
func `PUBX 00 names the status of the fix, or has an empty field`(status: String, quality: FixQuality) {
  let recorder = decode(
    nmeaSentence("PUBX,00,081350.00,4717.1,N,00833.9,E,546.5,\(status),2.1,2,36,77.52,0.007,,0.92,1.19,0.77,9,0,0"))
  #expect(recorder.errors == [])
  #expect(recorder.epochs.first?.quality == quality)
}

@Test func `PUBX 04 and ZDA set the day`() {
  for clock in ["PUBX,04,073731.00,091202,113851.00,1196,15D,1930035,-2660.664,43", "GPZDA,073731.00,09,12,2002,00,00"]
  {
    let recorder = decode(nmeaSentence(clock) + nmeaSentence("GPGGA,073732,4807.038,N,01131.000,E,1,08,0.9,5,M,,M,,"))
    #expect(recorder.errors == [])
    #expect(recorder.epochs.last?.date == UTCDate(year: 2002, month: 12, day: 9))
    #expect(recorder.epochs.last?.timeOfDay?.second == 32)
  }
}

@Test(
  arguments: [
    ("PGRME,4.7,M,6.2,M,7.8,M", 5.645, 9.192), ("PGRME,0.0,M,0.0,M,0.0,M", 0, 0),
    ("PGRME,999.9,M,6.2,M,999.9,M", 1200.98, 9.192), ("PQTMEPE,2,3.393,3.476,12.713,4.857,13.609", 4.857, 12.713),
    ("PQTMEPE,2,0.000,0.000,0.000,0.000,0.000", 0, 0),
    ("PQTMEPE,2,1,1,100000.0,250000.0,1", 250_000, 100_000), ("PQTMEPE,2,1,1,x,-1,1", nil, nil),
    ("PQTMEPE,1,3.393,3.476,12.713,4.857,13.609", nil, nil),
  ] as [(String, Double?, Double?)])
func `an estimate of the error is converted to a root mean square, and a bad one is no unknown one`(
  content: String, horizontal: Double?, vertical: Double?
) {
  #expect(number(.horizontalError, in: content).map { ($0 * 1000).rounded() } == horizontal.map { $0 * 1000 })
  #expect(number(.verticalError, in: content).map { ($0 * 1000).rounded() } == vertical.map { $0 * 1000 })
}

@Test func `GNS has the best mode of all systems, and GST the errors of the position`() throws {
  let epoch = try epoch(
    "GNGNS,082356.00,5114.50897,N,00012.28663,W,AADFRE,10,0.83,111.1,45.6,2,0000,S",
    "GPGST,082356.00,1.8,15.5,12.1,-1.5,1.7,1.3,2.2")
  #expect(epoch.quality == .rtkFixed && epoch.satellitesUsed == 10 && epoch.altitude == 111.1)
  #expect(epoch.errorStatistics == ErrorStatistics(latitude: 1.7, longitude: 1.3, altitude: 2.2))
}

@Test func `a fix with an altitude is three-dimensional`() throws {
  #expect(try epoch("GPGGA,123519,4807.038,N,01131.000,E,1,03,2.9,,M,,M,,").mode == .twoDimensional)
  let high = try epoch("GPGGA,123519,4807.038,N,01131.000,E,1,04,2.9,5.5,M,,M,,")
  #expect((high.mode, high.altitude) == (.threeDimensional, 5.5))
}

@Test(arguments: ["GP", "GL", "GA", "GB", "BD", "GN", "GQ", "QZ", "GI", "PQ", "IN", "EC", "II", "XX"])
func `every talker is accepted`(talker: String) {
  let recorder = decode(nmeaSentence("\(talker)GGA,123519,4807.038,N,01131.000,E,1,08,0.9,5,M,,M,,"))
  #expect(recorder.talkers == [talker])
  #expect(recorder.epochs.first?.coordinate != nil)
}

@Test(arguments: [
  "PUBX,03,01,10,U,170,60,40,010", "PMTK010,001", "PMTK001,220,3", "PAIR001,050,0", "PAIR010,0", "PSTI,030,1",
  "PGRMZ,93,f,3", "PSTMCPU,1",
  // The letters after `PG` are those of RMC.
  "PGRMC,A,218.8,100,6378137.000,298.257223563,0.0,0.0,0.0,A,3,1,1",
  "PTNL,GGK,1", "GPXTE,A,A,0.1,L,N", "GNHDT,123.4,T", "GNTXT,01,01,02,ANTSTATUS=OK", "GPGBS,1,,,,,,,",
  "AIVDM,1,1,,A,x,0", "PQTMVERNO,1",
])
func `unsupported sentences are counted and ignored`(content: String) {
  var decoder = NMEADecoder()
  decoder.consume(Array(nmeaSentence(content).utf8).span, at: at(0)) { _ in }
  let statistics = decoder.statistics
  #expect((statistics.sentences, statistics.errorCount, statistics.ignoredSentences) == (0, 0, 1))
  #expect(statistics.ignoredAddresses.map(\.count) == [1])
}

@Test func `the oldest formats of VTG and GLL have the same meaning with fewer fields`() throws {
  let epoch = try epoch("LCGLL,4807.038,N,01131.000,W", "GPVTG,054.7,034.4,005.5,010.2")
  #expect(epoch.coordinate == Coordinate(latitude: 48 + 7.038 / 60, longitude: -(11 + 31.0 / 60)))
  #expect(epoch.timeOfDay == nil && epoch.quality == nil)
  #expect((epoch.course, epoch.speed) == (54.7, 5.5 * 1852 / 3600))
}

@Test func `the oldest GLL has a complete position or none`() {
  #expect(decode(nmeaSentence("GPGLL,,,,")).epochs.allSatisfy { $0.coordinate == nil })
  #expect(errors("GPGLL,4807.038,N,,") == [.invalidField(.gll, field: 4)])
  #expect(errors("GPGLL,4807.038,N,01131.000,") == [.invalidField(.gll, field: 4)])
}

@Test(arguments: [
  ("W84", nil as Double?), ("", nil), ("P90", 20), ("W72", 20), ("S85", 20), ("999", 1000), ("TOY", 1000),
])
func `a datum other than WGS 84 applies to all epochs until the next DTM`(code: String, metres: Double?) {
  let fix = { (second: Int) in nmeaSentence("GPGLL,4807.038,N,01131.000,E,12000\(second),A,A") }
  let datum = { (code: String) in nmeaSentence("GPDTM,\(code),,0.0,N,0.0,E,0.0,W84") }
  let epochs = decode(fix(0) + fix(1) + datum(code) + fix(2) + fix(3) + fix(4) + datum("W84") + fix(5)).epochs
  #expect(epochs.map(\.datumUncertainty) == [nil, metres, metres, metres, nil, nil])
}

@Test func `an unsupported sentence is passed on unchanged`() {
  let text =
    nmeaSentence("PGRMZ,93,f,3") + nmeaSentence("GPDTM,W84") + nmeaSentence("GPXYZ,,2") + "$GPXYZ,1*00\r\n"
    + nmeaSentence("AIVDM,1,1,,A,13,0").replacing("$", with: "!")
  for chunk in [1, 7, 1000] {
    #expect(decode(text, chunk: chunk).others == ["PGRMZ,93,f,3", "GPXYZ,,2", "AIVDM,1,1,,A,13,0"])
  }
}
