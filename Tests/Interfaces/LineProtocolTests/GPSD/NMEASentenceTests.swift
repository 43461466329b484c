import Base
import Decoding
import Estimation
import GNSS
@testable import LineProtocol
import SeededNumbers
import Testing

/// The encoder of sentences, with the decoder of the receivers as its counterpart.
@Suite struct NMEASentenceTests {
  private static let full =
    #"{"time":"2026-11-21T07:31:34.200Z","lat":47.376888,"lon":-8.541694,"hacc":3.02,"alt":408.24,"vacc":5.1,"#
    + #""speed":0.4,"sacc":0.3,"course":211.0,"cacc":9.0,"fix":"3d","sats":11,"accuracy":"full","age_ms":140,"#
    + #""geoid":47.3,"hdop":0.8,"quality":"autonomous""#
  private static let reduced =
    #"{"time":"2026-11-21T07:30:00.000Z","lat":47.37,"lon":8.54,"hacc":2500.0,"accuracy":"reduced"}"#

  /// Removes the checksums, which have a test of their own.
  private func plain(_ lines: [String]) -> [String] { lines.map { String($0.prefix { $0 != "*" }) } }

  @Test func `a precise fix has every field that it knows`() {
    #expect(
      plain(NMEASentence.lines(of: Self.full + "}", NMEASentence.allCases)) == [
        "$GNRMC,073134.200,A,4722.61328,N,00832.50164,W,0.778,211.00,211126,,,A",
        "$GNGGA,073134.200,4722.61328,N,00832.50164,W,1,11,0.80,408.2,M,47.3,M,,",
        "$GNGSA,A,3,,,,,,,,,,,,,,0.80,", "$GNGST,073134.200,,,,,2.00,2.00,5.10",
        "$GNVTG,211.00,T,,M,0.778,N,1.440,K,A", "$GNZDA,073134.200,21,11,2026,00,00",
      ])
  }

  @Test func `a reduced fix has a quarter hour, the node and its radius, and nothing else`() {
    #expect(
      plain(NMEASentence.lines(of: Self.reduced, NMEASentence.allCases)) == [
        "$GNRMC,073000.000,A,4722.20000,N,00832.40000,E,,,211126,,,A",
        "$GNGGA,073000.000,4722.20000,N,00832.40000,E,1,,481.81,,M,,M,,", "$GNGSA,A,2,,,,,,,,,,,,,,481.81,",
        "$GNGST,073000.000,,,,,1021.05,1021.05,", "$GNZDA,073000.000,21,11,2026,00,00",
      ])
  }

  @Test func `the satellites of each system have a sentence of their own, with at most twelve of them`() {
    let satellites =
      (1...14).map { #"{"gnss":"gps","id":\#($0),"used":true}"# }
      + [
        #"{"gnss":"sbas","id":133,"used":true}"#, #"{"gnss":"glonass","id":3,"used":true}"#,
        #"{"gnss":"galileo","id":301,"used":true}"#, #"{"gnss":"beidou","id":8,"used":false}"#,
      ]
    let json = Self.full + ",\"sky\":[\(satellites.joined(separator: ","))]}"
    #expect(
      plain(NMEASentence.lines(of: json, [.gsa])) == [
        "$GNGSA,A,3,01,02,03,04,05,06,07,08,09,10,11,12,,0.80,,1", "$GNGSA,A,3,13,14,46,,,,,,,,,,,0.80,,1",
        "$GNGSA,A,3,67,,,,,,,,,,,,,0.80,,2", "$GNGSA,A,3,01,,,,,,,,,,,,,0.80,,3",
      ])
  }

  @Test(arguments: [
    ("autonomous", "differential", ",W,2,11,", ",D"), ("autonomous", "precise", ",W,3,11,", ",P"),
    ("autonomous", "rtk-fixed", ",W,4,11,", ",R"), ("autonomous", "rtk-float", ",W,5,11,", ",F"),
    ("autonomous", "estimated", ",W,6,11,", ",E"), ("autonomous", "manual", ",W,7,11,", ",M"),
    ("autonomous", "simulator", ",W,8,11,", ",S"),
    // An extrapolated fix is an estimated one, whatever its quality is.
    ("\"fix\"", "\"coasted\":true,\"fix\"", ",W,6,11,", ",E"),
    // GGA has at most 99 satellites, because the field has two digits.
    (":11,", ":9,", ",W,1,09,0.80,", ",A"), (":11,", ":99,", ",W,1,99,0.80,", ",A"),
    (":11,", ":100,", ",W,1,99,0.80,", ",A"), (":11,", ":999,", ",W,1,99,0.80,", ",A"),
  ])
  func `the method of a fix is a digit in GGA and a letter in RMC, and the satellites have two digits`(
    member: String, other: String, gga: String, rmc: String
  ) {
    let lines = plain(NMEASentence.lines(of: Self.full.replacing(member, with: other) + "}", [.gga, .rmc]))
    #expect(lines[0].contains(gga) && lines[1].hasSuffix(rmc))
  }

  @Test(arguments: ["", "{}", "[]", #"{"lat":1,"lon":2}"#, #"{"lat":"1","lon":2,"hacc":3}"#])
  func `a text that is not a fix has no sentences`(json: String) {
    #expect(NMEASentence.lines(of: json, NMEASentence.allCases).isEmpty)
  }

  // MARK: Encoded and decoded

  private func randomFix(_ random: inout SplitMix64) throws -> Fix {
    func value(in range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    let time = UTCTime(
      nanosecondsSince1970: Int64.random(in: 1_700_000_000_000...1_900_000_000_000, using: &random) * 1_000_000)
    var fix = Fix(
      time: time, arrived: MonotonicInstant(nanoseconds: 0),
      coordinate: try #require(Coordinate(latitude: value(in: -90...90), longitude: value(in: -180...180))),
      horizontalAccuracy: value(in: 0.01...200),
      mode: Bool.random(using: &random) ? .threeDimensional : .twoDimensional,
      dilutionOfPrecision: DilutionOfPrecision(
        horizontal: value(in: 0.5...50), vertical: value(in: 0.5...50), position: value(in: 0.5...50)))
    fix.quality = FixQuality(rawValue: Int.random(in: 1...8, using: &random))
    fix.satellitesUsed = Int.random(in: 3...60, using: &random)
    if fix.mode == .threeDimensional {
      fix.altitude = value(in: -400...9999)
      fix.verticalAccuracy = value(in: 0.01...200)
      fix.geoidSeparation = value(in: -107...86)
    }
    if Bool.random(using: &random) {
      fix.speed = value(in: 0...300)
      fix.course = value(in: 0...360.0.nextDown)
    }
    return fix
  }

  private func randomSky(_ random: inout SplitMix64) -> [Satellite] {
    let systems: [(Constellation, ClosedRange<Int>)] = [
      (.gps, 1...32), (.glonass, 65...96), (.galileo, 1...36), (.beidou, 1...63), (.qzss, 1...10), (.sbas, 33...64),
    ]
    return systems.flatMap { system, numbers in
      numbers.shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)).map { number in
        Satellite(constellation: system, number: number, isUsed: Bool.random(using: &random))
      }
    }
  }

  @Test func `encoded fixes decode to the same fixes, within the resolution of the format`() throws {
    for seed in 0..<2000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let fix = try randomFix(&random)
      let sky = randomSky(&random)
      let json = FixReport(fix, disclosed: nil).json(withSatellites: sky)
      let lines = NMEASentence.lines(of: json, NMEASentence.usual)
      #expect(lines.allSatisfy { $0.utf8.count <= 80 }, "a sentence has at most 82 bytes with its line end: \(lines)")
      let (epoch, satellites) = try decoded(lines)
      #expect(differ(epoch.coordinate?.latitude, fix.coordinate.latitude) <= 0.000_01 / 60)
      #expect(differ(epoch.coordinate?.longitude, fix.coordinate.longitude) <= 0.000_01 / 60)
      #expect(epoch.time == fix.time && epoch.mode == fix.mode && epoch.quality == fix.quality)
      #expect(epoch.satellitesUsed == fix.satellitesUsed)
      #expect(
        differ(epoch.altitude, fix.altitude) <= 0.051 && differ(epoch.geoidSeparation, fix.geoidSeparation) <= 0.051)
      #expect(differ(epoch.speed, fix.speed) <= 0.0003 && differ(epoch.course, fix.course) <= 0.0051)
      let (dilution, original) = (epoch.dilutionOfPrecision, fix.dilutionOfPrecision)
      #expect(differ(dilution.horizontal, original.horizontal) <= 0.0051)
      #expect(differ(dilution.vertical, original.vertical) <= 0.0051)
      #expect(differ(dilution.position, original.position) <= 0.0051)
      let measured = try #require(Fix(measured: epoch))
      #expect((-0.001...0.04).contains(measured.horizontalAccuracy - fix.horizontalAccuracy))
      #expect(differ(measured.verticalAccuracy, fix.verticalAccuracy) <= 0.021)
      #expect(satellites == used(sky))
    }
  }

  @Test func `an encoded approximate fix decodes to its node and its 68 % radius, and to nothing else`() throws {
    for seed in 0..<500 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let node = try randomFix(&random).coordinate
      let radius = Double.random(in: 1000...20_000, using: &random).rounded()
      let time = try #require(UTCTime(iso8601: "2026-11-21T07:30:00.000Z"))
      let json = FixReport(reduced: node, horizontalAccuracy: radius, time: time).json
      let (epoch, satellites) = try decoded(NMEASentence.lines(of: json, NMEASentence.usual))
      #expect(differ(epoch.coordinate?.latitude, node.latitude) <= 0.000_01 / 60)
      #expect(differ(epoch.coordinate?.longitude, node.longitude) <= 0.000_01 / 60)
      #expect(epoch.time == time && epoch.mode == .twoDimensional && epoch.quality == .autonomous)
      // The radius of an approximate fix is the 95 % circle: √(ln 0.05 / ln 0.32).
      #expect((0...0.04).contains(try #require(Fix(measured: epoch)).horizontalAccuracy - radius / 1.6215))
      #expect(epoch.speed == nil && epoch.course == nil && epoch.altitude == nil && epoch.geoidSeparation == nil)
      #expect(epoch.satellitesUsed == nil && satellites.isEmpty)
    }
  }

  /// Decodes sentences, whose checksums must be correct, to exactly one epoch and the satellites of GSA.
  private func decoded(_ lines: [String]) throws -> (epoch: Epoch, satellites: Set<SatelliteNumbers>) {
    struct Output: NMEAOutput {
      var epochs: [Epoch] = []
      var errors: [NMEAError] = []
      mutating func receive(_ epoch: Epoch) { epochs.append(epoch) }
      mutating func receive(_ error: NMEAError) { errors.append(error) }
    }
    var output = Output()
    var decoder = NMEADecoder(configuration: .replay)
    let bytes = Array(lines.map { $0 + "\r\n" }.joined().utf8)
    decoder.consume(bytes.span, at: MonotonicInstant(nanoseconds: 0), to: &output)
    decoder.finish(to: &output)
    #expect(output.errors.isEmpty && output.epochs.count == 1, "\(lines)")
    return (try #require(output.epochs.first), Set(lines.flatMap(satellites)))
  }

  /// The satellites of a GSA with a system id.
  private func satellites(_ line: String) -> [SatelliteNumbers] {
    let fields = line.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false)
    guard fields[0].hasSuffix("GSA"), fields.count == 19, let system = Int(fields[18]) else { return [] }
    let systems = [Constellation.gps, .glonass, .galileo, .beidou, .qzss, .navic]
    return fields[3..<15].compactMap { Int($0) }.map {
      SatelliteNumbers(system == 1 && $0 > 32 ? .sbas : systems[system - 1], $0)
    }
  }

  private func differ(_ one: Double?, _ other: Double?) -> Double {
    if one == nil, other == nil { return 0 }
    guard let one, let other else { return .infinity }
    return min(abs(one - other), abs(abs(one - other) - 360))
  }

  /// The satellites that the receiver used, by their numbers in gpsd.
  private func used(_ satellites: [Satellite]) -> Set<SatelliteNumbers> {
    Set(
      satellites.filter { $0.isUsed == true }.compactMap { satellite in
        satellite.constellation.map { SatelliteNumbers($0, satellite.number) }
      })
  }
}
