import Testing

@testable import SimulatedHardware

private let log = """
  $GNGSV,1,1,00,0*00
  $GNRMC,235958.00,A,,,,,,,,,,A\r
  $GNGGA,235958.000,,,,,0,00,,,,,,,\r
  $GNGSA,A,1\r
  $GNGGA,235959.50,,,,,0,00,,,,,,,\r
  $GNGLL,,,,,000000.25,V,N\r
  $GNZDA,000100,,,,,\r
  $GNGNS,000059.75,,,,,N,00,,,,\r
  $GNRMC,0000
  """

@Test(arguments: [1, 2, 7, 64, 4096])
func `a log is split into groups at each new time, independent of its chunks`(size: Int) {
  let groups = groups(Array(log.utf8), chunk: size)
  // Before the first time; an epoch; the next one; over midnight; a long gap, shortened; back in time, with a truncated
  // end.
  #expect(groups.map(\.wait) == [.zero, .zero, .milliseconds(1500), .milliseconds(750), .seconds(5), .zero])
  #expect(groups.map { $0.bytes.count { $0 == 10 } } == [1, 3, 1, 1, 1, 1])
  #expect(groups.flatMap(\.bytes) == Array(log.utf8))
}

/// Returns the waits of the groups in a log of some lines.
private func waits(_ lines: String...) -> [Duration] {
  groups(lines.flatMap { Array("\($0)\r\n".utf8) }, chunk: .max).map(\.wait)
}

@Test(arguments: [
  ("115959", "$GPGGA,120000.5,", 1500), ("235959", "$GPRMC,000000,", 1000), ("235959", "$GPRMC,235960,A", 1000),
  ("000000", "+GPSRD:$GNRMC,000001.,A", 1000), ("000000", "$GPRMC,000001.123456,A", 1123),
  ("000000", "$GNRMC,000001,A*15", 1000), ("000000", "$GPRMC,120000,A", 5000),
  ("000000", "$GPRMC,120001,A", 0),  // More than half a day later is a time that goes back.
])
func `the time of a sentence is parsed in all formats of receivers`(before: String, line: String, milliseconds: Int) {
  #expect(waits("$GPRMC,\(before),A", line) == [.zero, .milliseconds(milliseconds)])
}

@Test(arguments: [
  "", "$", "$GPGSV,3,1,12,01", "$GPGLL,4717.11,N,00833.91,E", "$GPRMC,,V", "$GPRMC,240000,A", "$GPRMC,126000,A",
  "$GPRMC,120061,A", "$GPRMC,12000,A", "$GPRMC,12000a,A", "$GPRMC,120000x5,A", "$GPRMC,000001x,A", "$GNRMC,000001,A*00",
  "$GNRMC,000001,A*",
  "$PUBX,00,120000",
])
func `a line without a time, or a damaged one, belongs to the previous group`(line: String) {
  #expect(waits("$GPRMC,235959,A", line) == [.zero])
}

@Test(arguments: [1, 100_000])
func `a log without line ends is sent in pieces`(count: Int) {
  let noise = [UInt8](repeating: 0x2A, count: count)
  let groups = groups(noise, chunk: noise.count)
  #expect(groups.allSatisfy { $0.bytes.count <= 2 * ReplaySchedule.groupCapacity && $0.wait == .zero })
  #expect(groups.flatMap(\.bytes) == noise)
}
