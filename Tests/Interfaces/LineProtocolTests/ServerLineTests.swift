import Base
import Foundation
import GNSS
import LineProtocol
import Repository
import Testing

/// The lines that each client reads: the conformance test reads the same file.
private struct Lines: Decodable {
  /// Lines that mean something, lines that answer nothing, and lines that are none.
  var valid, stray, invalid: [String]

  static let table: Lines? = try? JSONDecoder().decode(
    Lines.self,
    from: Data(contentsOf: URL(filePath: "\(Repository.root)/Tests/Interfaces/Conformance/lines.json")))
}

private let position = Coordinate(latitude: 47.376888, longitude: 8.541694)!
private let arrived = MonotonicInstant(nanoseconds: 5_000_000_000)

@Test func `the lines of the table that all clients read are written as they are read, and the others are none`() throws
{
  let table = try #require(Lines.table)
  #expect(table.valid.count + table.stray.count > 10 && table.invalid.count > 10)
  for line in table.valid + table.stray { #expect(ServerLine(parsing: line)?.line == line, "\(line)") }
  for line in table.invalid { #expect(ServerLine(parsing: line) == nil, "\(line)") }
}

@Test(arguments: [
  ("fix/once", "fix/once", true), ("fix/+", "fix/once", true), ("+/once", "fix/once", true), ("#", "fix/once", true),
  ("fix/#", "fix/once", true), ("fix", "fix/once", false), ("fix/once/#", "fix/once", true),
  ("+", "fix/once", false), ("+/+/+", "fix/once", false), ("indicator", "indicator", true),
  ("indicator/#", "indicator", true), ("INDICATOR", "indicator", false),
])
func `a filter matches as MQTT's do`(filter: String, topic: String, matches: Bool) throws {
  #expect(try TopicFilter(filter).matches(topic) == matches)
}

@Test(arguments: [
  ("1/2/3/4/5/6/7/8", true), ("1/2/3/4/5/6/7/#", true), ("1/2/3/4/5/6/7/8/9", false),
  (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
])
func `a filter has at most 8 levels and 128 bytes`(filter: String, isValid: Bool) {
  #expect(((try? TopicFilter(filter)) != nil) == isValid)
}

@Test func `a full fix is written as the contract's example`() throws {
  let time = try #require(UTCTime(iso8601: "2026-11-21T07:31:34.200Z"))
  var fix = Fix(
    time: time, arrived: arrived, coordinate: position, horizontalAccuracy: 2.9, mode: .threeDimensional)
  (fix.altitude, fix.verticalAccuracy, fix.satellitesUsed) = (408.2, 5.1, 11)
  (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy) = (0.4, 0.3, 211.0, 9.0)
  #expect(
    FixReport(fix, disclosed: arrived + .milliseconds(140)).json
      == "{\"time\":\"2026-11-21T07:31:34.200Z\",\"lat\":47.376888,\"lon\":8.541694,\"hacc\":2.9,\"alt\":408.2,"
      + "\"vacc\":5.1,\"speed\":0.4,\"sacc\":0.3,\"course\":211.0,\"cacc\":9.0,\"fix\":\"3d\",\"sats\":11,"
      + "\"accuracy\":\"full\",\"age_ms\":140}")
}

@Test(arguments: SignalSuspicion.allCases)
func `a coasted fix is marked, a fix under an attack names the sign of the attack, and no other fix does`(
  suspicion: SignalSuspicion
) {
  var fix = Fix(time: nil, arrived: arrived, coordinate: position, horizontalAccuracy: 12, mode: .twoDimensional)
  #expect(FixReport(fix, disclosed: arrived).json.hasSuffix(#""accuracy":"full","age_ms":0}"#))
  (fix.isCoasted, fix.quality, fix.suspicion) = (true, .estimated, suspicion)
  let marks = #""age_ms":7000,"quality":"estimated","coasted":true,"suspect":"\#(suspicion.rawValue)"}"#
  #expect(FixReport(fix, disclosed: arrived + .seconds(7)).json.hasSuffix(marks))
}
