import Base
import GNSS
import Testing

@testable import LinuxHardware

let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
let sky =
  #"{"class":"SKY","device":"/dev/pts/1","xdop":0.55,"vdop":1.08,"hdop":0.76,"pdop":1.3,"satellites":[{"PRN":10,"el":45.4,"#
  + #""az":196.0,"ss":34.0,"used":true,"gnssid":0,"svid":10},{"PRN":301,"el":2.0,"az":360.0,"ss":0.0,"used":false,"#
  + #""gnssid":2,"svid":1},{"PRN":99}]}"#

func tpv(
  _ second: Int, device: String = "/dev/pts/1", mode: Int = 3, eph: String = "4.2", _ more: String = ""
) -> String {
  #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"2026-11-21T07:31:\#(second < 10 ? "0" : "")\#(second).000Z","#
    + #""ept":0.005,"lat":47.285233,"lon":8.565265,"altHAE":456.8,"altMSL":409.1,"alt":409.1,"epx":3.1,"track":92.08,"#
    + #""magtrack":94.8,"speed":3.302,"climb":0.0,"eps":1.2,"geoidSep":47.7,"eph":\#(eph)\#(more)}"#
}

func gst(_ second: Int) -> String {
  #"{"class":"GST","device":"/dev/pts/1","time":"2026-11-21T07:31:\#(second < 10 ? "0" : "")\#(second).000Z","rms":2.8,"#
    + #""major":1.9,"minor":1.2,"orient":90.0,"lat":1.2,"lon":1.9,"alt":3.4}"#
}

/// Reads lines. A number lets that number of milliseconds pass.
private func read(_ items: [Any]) -> (epochs: [Epoch], reader: GPSDReader) {
  var reader = GPSDReader()
  var epochs: [Epoch] = []
  var now = at(0)
  for item in items {
    if let milliseconds = item as? Int {
      let until = now + .milliseconds(milliseconds)
      while let deadline = reader.nextDeadline, deadline <= until { reader.idle(at: deadline) { epochs.append($0) } }
      now = until
    } else if let line = item as? String {
      reader.consume(Array((line + "\r\n").utf8), at: now) { epochs.append($0) }
    }
  }
  return (epochs, reader)
}

@Test func `a position becomes an epoch with its satellites and errors`() throws {
  let (epochs, reader) = read([version, tpv(34), sky, gst(34), 100])
  #expect(reader.release == "3.22" && !reader.isNotGPSD && reader.brokenLines == 0)
  let epoch = try #require(epochs.first)
  #expect(epochs.count == 1)
  #expect(epoch.time?.iso8601 == "2026-11-21T07:31:34.000Z")
  #expect(epoch.coordinate == Coordinate(latitude: 47.285233, longitude: 8.565265))
  #expect((epoch.mode, epoch.quality) == (.threeDimensional, .autonomous))
  #expect((epoch.altitude, epoch.geoidSeparation) == (409.1, 47.7))
  #expect((epoch.speed, epoch.course) == (3.302, 92.08))
  #expect(epoch.dilutionOfPrecision == DilutionOfPrecision(horizontal: 0.76, vertical: 1.08, position: 1.3))
  #expect(epoch.errorStatistics?.latitude == 1.2)
  #expect(epoch.satellitesUsed == 1)
  #expect(
    epoch.satellites == [
      Satellite(constellation: .gps, number: 10, elevation: 45, azimuth: 196, signalStrength: 34, isUsed: true),
      Satellite(constellation: .galileo, number: 1, elevation: 2, azimuth: 0, isUsed: false),
      Satellite(constellation: nil, number: 99),
    ])
  // GST has a stated probability, and the errors of TPV have none.
  #expect(epoch.horizontalAccuracy == nil)
}

@Test(
  arguments: [
    ("4.2", 4.2, nil), (#"4.2,"epv":7.5"#, 4.2, 7.5),
    // The errors that gpsd computes from HDOP 0.76 and VDOP 1.08, without and with corrections.
    (#"14.44,"epv":24.84"#, nil, nil), (#"3.61,"epv":6.21"#, nil, nil), (#"-1,"epv":0"#, nil, 0),
  ] as [(String, Double?, Double?)])
func `the errors of a position are bounds of its accuracy, unless gpsd computed them from the dilutions`(
  eph: String, horizontal: Double?, vertical: Double?
) throws {
  let epochs = read([version, sky, tpv(34, eph: eph), sky, tpv(35, eph: eph), 100]).epochs
  #expect(epochs.count == 2)
  for epoch in epochs {
    #expect(epoch.horizontalAccuracy == nil && epoch.errorStatistics?.longitude == nil)
    #expect(epoch.errorStatistics?.latitude == horizontal.map { $0 / 2.0.squareRoot() })
    #expect(epoch.errorStatistics?.altitude == vertical)
  }
}

/// gpsd 3.22 computes the errors with the dilution of an earlier or a later sentence than the dilution of its report.
@Test(arguments: [(13.8, false), (14.44, false), (24.7, false), (3.5, false), (40.0, true), (9.0, true)])
func `a computed error is recognised if the dilution changes`(error: Double, isOwn: Bool) throws {
  let worse = sky.replacing(#""hdop":0.76"#, with: #""hdop":1.3"#)
  let lines: [Any] = [version, worse, 1000, sky, tpv(34, eph: "\(error)"), 100]
  let epoch = try #require(read(lines).epochs.first)
  #expect((epoch.errorStatistics?.latitude != nil) == isOwn)
}

@Test(arguments: [("0.4", nil), ("1.0", 1), ("99.0", 99), ("99.1", nil)])
func `a signal is known from 1 to 99 dB-Hz`(strength: String, known: Int?) throws {
  let changed = sky.replacing(#""ss":34.0"#, with: #""ss":\#(strength)"#)
  let epoch = try #require(read([version, tpv(34), changed, gst(34), 100]).epochs.first)
  #expect(epoch.satellites.first?.signalStrength == known)
}

/// Galileo has the identifier 2 in gpsd.
@Test(arguments: [("0", nil), ("1", 1), ("999", 999), ("1000", nil)])
func `a satellite has a number from 1 to 999`(number: String, known: Int?) throws {
  for satellite in [#"{"PRN":\#(number)}"#, #"{"PRN":5000,"gnssid":2,"svid":\#(number)}"#] {
    let changed = #"{"class":"SKY","device":"/dev/pts/1","satellites":[\#(satellite)]}"#
    let epoch = try #require(read([version, tpv(34), changed, gst(34), 100]).epochs.first)
    #expect(epoch.satellites.first?.number == known)
  }
}

@Test func `satellites and dilutions older than 10 s do not belong to a position`() throws {
  let epochs = read([version, sky, 9900, tpv(34), 100, 300, tpv(35), 100]).epochs
  #expect(epochs.map { $0.dilutionOfPrecision.horizontal } == [0.76, nil])
  #expect(epochs.map(\.satellitesUsed) == [1, nil])
}

@Test func `an epoch is emitted as soon as the usual following reports have arrived`() {
  var reader = GPSDReader()
  var epochs: [Epoch] = []
  func take(_ line: String, _ milliseconds: Int64) {
    reader.consume(Array((line + "\n").utf8), at: at(milliseconds)) { epochs.append($0) }
  }
  take(version, 0)
  take(tpv(1), 1000)
  take(sky, 1001)
  #expect(epochs.isEmpty && reader.nextDeadline == at(1020))
  reader.idle(at: at(1020)) { epochs.append($0) }
  #expect(epochs.count == 1)
  take(tpv(2), 2000)
  #expect(epochs.count == 1)
  take(sky, 2001)
  #expect(epochs.count == 2 && reader.nextDeadline == nil)
  // Satellites arrive with some positions only.
  take(tpv(3), 3000)
  reader.idle(at: at(3020)) { epochs.append($0) }
  take(tpv(4), 4000)
  #expect(epochs.count == 4)
}

@Test(
  arguments: [
    ([tpv(1), sky, 1000, tpv(2), sky, 1000, tpv(3), sky, 1000], ["1", "2", "3"]),
    ([sky, tpv(1), 1000, sky, tpv(2), 1000, sky, tpv(3)], ["1", "2", "3"]),
    // One time twice, in succession and later.
    ([tpv(1), tpv(1), sky, 1000, tpv(1), 1000, tpv(2), 1000], ["1", "2"]),
    ([tpv(1), 1000, tpv(1), 1000, tpv(2), 100], ["1", "2"]),
    // Another receiver while the first one sends reports.
    ([tpv(1), 500, tpv(9, device: "/dev/b"), 500, tpv(2), 6000, tpv(8, device: "/dev/b"), 100], ["1", "2", "8"]),
    ([tpv(5), 1000, tpv(2), 1000], ["5", "2!"]), ([sky, gst(1), 1000], []),
  ] as [([any Sendable], [String])])
func `each time makes one epoch of one receiver`(items: [any Sendable], result: [String]) {
  let epochs = read([version] + items + [100]).epochs
  #expect(epochs.map { "\($0.timeOfDay?.second ?? -1)" + ($0.startsSequence ? "!" : "") } == result)
}

@Test(
  arguments: [
    // mode, status → quality, mode
    (3, "", FixQuality.autonomous, FixMode.threeDimensional), (2, "", .autonomous, .twoDimensional),
    (3, #","status":1"#, .autonomous, .threeDimensional), (3, #","status":2"#, .differential, .threeDimensional),
    (3, #","status":3"#, .rtkFixed, .threeDimensional), (3, #","status":4"#, .rtkFloat, .threeDimensional),
    (3, #","status":5"#, .estimated, .threeDimensional), (3, #","status":8"#, .simulator, .threeDimensional),
    (1, "", .invalid, nil), (0, "", .invalid, nil), (7, "", .invalid, nil),
  ] as [(Int, String, FixQuality, FixMode?)])
func `only a fix of gpsd is a fix`(mode: Int, status: String, quality: FixQuality, result: FixMode?)
  throws
{
  let epoch = try #require(read([version, tpv(1, mode: mode, status), 100]).epochs.first)
  #expect((epoch.quality, epoch.mode) == (quality, result))
  #expect((epoch.coordinate != nil) == (result != nil))
  if mode == 2 { #expect(epoch.altitude == nil) }
}

@Test(arguments: [
  "", "{}", "[]", "{", "null", "\"", "\u{0}", #"{"class":"TPV"}"#, #"{"class":"TPV","mode":3,"lat":1e999,"lon":0}"#,
  #"{"class":"TPV","mode":3,"lat":"1","lon":[]}"#, #"{"class":"TPV","mode":1e300,"time":7}"#,
  #"{"class":"TPV","mode":3,"lat":91,"lon":181}"#, #"{"class":"SKY","satellites":{}}"#,
  #"{"class":"SKY","satellites":[1,null,[]]}"#,
  #"{"class":"SKY","satellites":[{"PRN":1e99,"svid":-4,"el":1e300,"az":-1e300,"ss":1e300}]}"#, #"{"class":7}"#,
  #"{"class":"GST","lat":-1,"lon":1e9}"#, String(repeating: "[", count: 100_000), #"{"class":"\ud800"}"#,
  #"{"class":"TPV","mode":1,"lat":1,"lon":2,"time":"9999-99-99T99:99:99Z"}"#, String(repeating: "x", count: 200_000),
])
func `hostile lines create no epochs and do not stop the reader`(line: String) {
  let (epochs, _) = read([version, line, tpv(1), 1000, line, tpv(2), 1000])
  #expect(epochs.filter { $0.time != nil }.map { $0.timeOfDay?.second } == [1, 2])
  for epoch in epochs where epoch.time == nil { #expect(epoch.coordinate == nil) }
  for epoch in epochs {
    #expect(epoch.satellites.allSatisfy { (1...999).contains($0.number) && $0.elevation.map { abs($0) <= 90 } ?? true })
  }
}

@Test(arguments: [("0001", false), ("1000", false), ("1979", false), ("1980", true), ("2261", true), ("2262", false)])
func `a date that no receiver can have is unknown, and the position stays`(year: String, isKnown: Bool) throws {
  let line = tpv(1).replacing("2026-11-21", with: "\(year)-01-01")
  let epoch = try #require(read([version, line, 1000]).epochs.first)
  #expect((epoch.time != nil) == isKnown)
  #expect(epoch.coordinate == Coordinate(latitude: 47.285233, longitude: 8.565265))
}

@Test func `a service that is not gpsd is detected`() {
  #expect(read(["SSH-2.0-OpenSSH_9.2"]).reader.isNotGPSD)
  #expect(read(["HTTP/1.1 400 Bad Request"]).reader.isNotGPSD)
  #expect(!read([version, "noise"]).reader.isNotGPSD)
}

@Test func `random bytes in random chunks never stop the reader`() {
  let text = Array([version, tpv(1), sky, gst(1), tpv(2), sky].map { $0 + "\r\n" }.joined().utf8)
  func epochs(_ bytes: [UInt8], cut: Int) -> Int {
    var reader = GPSDReader()
    var count = 0
    reader.consume(bytes[..<cut], at: at(0)) { _ in count += 1 }
    reader.consume(bytes[cut...], at: at(1)) { _ in count += 1 }
    reader.idle(at: at(1000)) { _ in count += 1 }
    return count
  }
  for cut in 0...text.count { #expect(epochs(text, cut: cut) == 2) }
  for bit in stride(from: 0, to: text.count * 8, by: 5) {
    var flipped = text
    flipped[bit / 8] ^= 1 << UInt8(bit % 8)
    #expect(epochs(flipped, cut: bit / 8) <= 3)
  }
  for end in 0..<text.count { #expect(epochs(Array(text[..<end]), cut: end / 2) <= 2) }
}

@Test func `the wait grows with each failure of a port`() {
  #expect((0...8).map { GPSDPort.wait(afterFailures: $0) } == [0, 0, 1, 2, 4, 8, 15, 15, 15].map { .seconds($0) })
  #expect(GPSDPort.wait(afterFailures: .max) == .seconds(15))
}

@Test(arguments: [(65_536, 0), (65_537, 1)])
func `a line has at most 65,536 bytes, and a longer line is broken`(length: Int, broken: Int) {
  let line = version + String(repeating: " ", count: length - version.utf8.count)
  var reader = GPSDReader()
  reader.consume(Array((line + "\n").utf8), at: at(0)) { _ in }
  #expect(reader.brokenLines == broken && (reader.release == "3.22") == (broken == 0))
  reader.consume(Array((version + "\n").utf8), at: at(0)) { _ in }
  #expect(reader.brokenLines == broken && reader.release == "3.22", "the next line is whole")
}
