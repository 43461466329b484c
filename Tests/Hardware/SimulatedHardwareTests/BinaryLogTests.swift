import Decoding
import Glibc
import Hardware
import Synchronization
import Testing

@testable import SimulatedHardware

/// Returns a NAV message with a time of week in milliseconds. Its payload contains a `$` and line ends.
private func message(_ time: UInt32, _ identifier: UBXIdentifier = .navPVT) -> [UInt8] {
  UBXFrame.encode(
    identifier, (0..<4).map { UInt8(truncatingIfNeeded: time >> (8 * $0)) } + Array("$GPGGA,000000,\r\n".utf8))
}

/// Returns the groups of a log that arrives in chunks of a size.
func groups(_ bytes: [UInt8], chunk: Int) -> [ReplaySchedule.Group] {
  var schedule = ReplaySchedule()
  var groups: [ReplaySchedule.Group] = []
  for start in stride(from: 0, to: bytes.count, by: chunk) {
    groups += schedule.accept(bytes[start..<min(start + chunk, bytes.count)])
  }
  return groups + schedule.finish()
}

@Test(arguments: [1, 5, 64, 4096])
func `a log without sentences is replayed by its time of week`(chunk: Int) {
  let epochs = [
    message(604_799_500, .navDOP) + message(604_799_500) + UBXFrame.encode(UBXIdentifier(0x0A, 0x09), [1, 2, 3, 4]),
    message(0) + message(0, .navSAT), message(200) + message(200, .navEOE), message(60_000), message(1000),
  ]
  let result = groups(epochs.flatMap { $0 }, chunk: chunk)
  #expect(result.map(\.bytes) == epochs)
  #expect(result.map(\.wait) == [.zero, .milliseconds(500), .milliseconds(200), .seconds(5), .zero])
}

@Test(arguments: [1, 5, 64, 4096])
func `a mixed log is replayed by the times of its sentences`(chunk: Int) {
  let epochs = (1...5).map { second in
    Array("$GNRMC,12000\(second).00,A\r\n".utf8) + message(UInt32(561_618_000 + second * 1000))
      + [0xD3, 0x00, 0x04, 0x24, 0x47, 0x4E, 0x52, 0xC2, 0xFB, 0xE5]
  }
  let result = groups(epochs.flatMap { $0 }, chunk: chunk)
  #expect(result.map(\.bytes) == epochs)
  #expect(result.map(\.wait) == [.zero] + [Duration](repeating: .seconds(1), count: 4))
}

@Test func `after the sentences end, the time of week becomes the clock`() {
  let log =
    Array("$GNRMC,120001.00,A\r\n".utf8)
    + (0..<300).flatMap { message(UInt32(561_600_000 + $0 * 1000)) }
  // The first 100 messages after the last sentence show that no more sentences follow.
  #expect(groups(log, chunk: 512).map(\.wait).reduce(.zero, +) == .seconds(200))
}

@Test func `each NAV message that begins with the time of week has a time, and no other message has one`() {
  for identifier in 0...UInt8.max {
    for messageClass in [0x01, 0x02] as [UInt8] {
      let kind = UBXIdentifier(messageClass, identifier)
      let isTimed =
        messageClass == 0x01
        && [0x02, 0x03, 0x04, 0x06, 0x07, 0x12, 0x20, 0x21, 0x30, 0x35, 0x61].contains(identifier)
      let waits = groups(message(0, kind) + message(1000, kind), chunk: .max).map(\.wait)
      #expect(waits == (isTimed ? [.zero, .seconds(1)] : [.zero]), "\(messageClass) \(identifier)")
    }
  }
}

@Test(arguments: [(3, 1), (4, 2)])
func `a time of week has four bytes`(count: Int, groupCount: Int) {
  let (first, second): ([UInt8], [UInt8]) = ([0, 0, 0, 0], [0xE8, 0x03, 0, 0])
  let log =
    UBXFrame.encode(.navEOE, Array(first.prefix(count))) + UBXFrame.encode(.navEOE, Array(second.prefix(count)))
  #expect(groups(log, chunk: log.count).count == groupCount)
}

@Test func `all bytes of any log are sent in order, with a bounded buffer`() {
  var random: UInt64 = 88_172_645_463_325_252
  for round in 0..<60 {
    var log: [UInt8] = []
    while log.count < 60_000 {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      switch random % 5 {
      case 0: log += message(UInt32(truncatingIfNeeded: random >> 40))
      case 1: log += Array("$GPGGA,\(100_000 + random >> 8 % 100_000),\r\n".utf8)
      case 2:
        let length = [UInt8(truncatingIfNeeded: random >> 9), UInt8(truncatingIfNeeded: random >> 20) & 7]
        log += [0xB5, 0x62, 0x01, 0x07] + length
      default: log += (0..<Int(random >> 8 % 300)).map { UInt8(truncatingIfNeeded: random >> UInt64($0 % 56)) }
      }
    }
    let result = groups(log, chunk: 1 + round * 97)
    #expect(result.flatMap(\.bytes) == log)
    #expect(result.allSatisfy { $0.bytes.count <= 3 * ReplaySchedule.groupCapacity })
  }
}

@Test func `a compressed log is refused with a remedy`() async throws {
  let file = try TemporaryFile([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3])
  let error = await #expect(throws: HardwareError.self) {
    try await ReplayPort(path: file.path, speed: .unlimited).run(opened: {}) { _, _ in Issue.record("bytes were sent") }
  }
  #expect(error?.kind == .unsuitable && error?.remedy == "decompress it: gunzip \(file.path)")
}
