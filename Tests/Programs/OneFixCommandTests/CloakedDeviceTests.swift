import Testing

@testable import onefix

@Test func `a seed gives the same output each time, and another seed gives another`() throws {
  func answers(_ seed: String) throws -> [String?] {
    var device = try CloakedDevice(seed: Array(seed.utf8))
    return try (0..<20).map { try device.process("P 48.\(1000 + $0 * 40) 11.5755 \(Double($0) * 900)") }
  }
  #expect(try answers("10001") == answers("10001") && answers("10001") != answers("10002"))
  #expect(try answers("") != answers(""), "without a seed the key is random")
}

@Test func `a restart has no output and changes none`() throws {
  var device = try CloakedDevice(seed: [7])
  let first = try device.process("P 48.1374 11.5755 600")
  #expect(try device.process("R") == nil && device.process("P 48.1374 11.5755 1200") == first)
  let words = try #require(first).split(separator: " ").compactMap { Double($0) }
  #expect(words.count == 3 && words[2] == 2750)
}

@Test(arguments: [
  "", "P", "P 48 11", "P 48 11 0 0", "P 91 11 0", "P nan 11 0", "P 48 11 1e300", "P 48 11 inf", "r", "R 1", "Q 1 2 3",
])
func `an invalid line is refused`(line: String) throws {
  var device = try CloakedDevice(seed: [7])
  #expect(throws: CloakedDevice.BadLine()) { try device.process(line) }
}
