import Base
import GNSS
import SeededNumbers
import Testing

@testable import Cloaking

/// Returns a memory with an answer, a candidate and some zones.
private func fullMemory(seed: UInt64, zones: Int) throws -> Cloak.Memory {
  var device = try Device(seed: seed)
  var generator = SplitMix64(seed: seed)
  while device.cloak.memory.zones.count < zones {
    let home = generator.position()
    _ = device.nextSlot(home)
    _ = device.nextSlot(home)
  }
  _ = device.nextSlot(generator.position())
  return device.cloak.memory
}

@Test func `every memory survives its encoding, and a memory without an answer has the mechanism of a new device`()
  throws
{
  #expect(Cloak.Memory(encoded: Cloak.Memory().encoded()) == Cloak.Memory())
  for version in 1...3 as ClosedRange<UInt8> { #expect(Cloak.Memory(encoded: [version, 0]) == Cloak.Memory()) }
  for zones in [0, 1, 5, 32] {
    let memory = try fullMemory(seed: 1, zones: zones)
    let bytes = memory.encoded()
    #expect(bytes.count <= 615)
    #expect(Cloak.Memory(encoded: bytes) == memory)
  }
}

@Test func `a memory has the documented bytes`() throws {
  var memory = Cloak.Memory(mechanism: .earlyShared)
  #expect(memory.encoded() == [2, 0])
  memory.node = Node(lattice: .far, row: -2, column: 258)
  memory.inForce = memory.node
  memory.slot = 1_994_718
  memory.present = SavedSlot(boot: "7", end: MonotonicInstant(nanoseconds: 3), rest: .nanoseconds(5), isAnswered: true)
  let head: [UInt8] = [0, 0, 0, 0, 0, 0x1E, 0x6F, 0xDE, 1, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 1, 2]
  let present: [UInt8] = [1, 0x37, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 5, 1]
  #expect(memory.encoded() == [2, 2] + present + head + [0, 0, 0])
  memory.candidate = Coordinate(latitude: 48.5, longitude: -11.25)
  memory.slowSlots = 1
  memory.zones = [
    DwellZone(cell: DwellCell(row: 3, column: 4), node: Node(lattice: .near, row: -1, column: 5)),
    DwellZone(cell: DwellCell(row: -6, column: 7), node: Node(lattice: .near, row: 8, column: 9)),
  ]
  let candidate: [UInt8] = [1, 0x40, 0x48, 0x40, 0, 0, 0, 0, 0, 0xC0, 0x26, 0x80, 0, 0, 0, 0, 0]
  let zones: [UInt8] = [
    2, 0, 0, 0, 3, 0, 0, 0, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 5, 0xFF, 0xFF, 0xFF, 0xFA, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0,
    0, 9,
  ]
  #expect(memory.encoded() == [2, 2] + present + head + candidate + [1] + zones)
  #expect(Cloak.Memory(encoded: memory.encoded()) == memory)
  for (inForce, bytes) in [
    (nil, [0]), (Node(lattice: .near, row: 1, column: 3), [1, 0, 0, 0, 0, 1, 0, 0, 0, 3]),
  ] as [(Node?, [UInt8])] {
    var other = memory
    other.inForce = inForce
    let answer: [UInt8] = [2, 3] + present + head + bytes
    #expect(other.encoded() == answer + candidate + [1] + zones)
    #expect(Cloak.Memory(encoded: other.encoded()) == other)
  }
  // An encoding of an earlier version has no present slot.
  memory.present = .unknown
  #expect(Cloak.Memory(encoded: [2, 1] + head + candidate + [1] + zones) == memory)
}

/// The first and the last quarter hours whose times have 64-bit nanoseconds are 2^63 / 900,000,000,000 from 1970. The
/// last row of cells is 90° in steps of 500 m from the equator.
@Test func `the largest numbers of slots, rows and columns are read, and no larger ones`() {
  func isRead(_ change: (inout Cloak.Memory) -> Void) -> Bool {
    var memory = Cloak.Memory()
    memory.node = Node(lattice: .near, row: 0, column: 0)
    change(&memory)
    return Cloak.Memory(encoded: memory.encoded()) == memory
  }
  for (slot, isValid) in [(10_248_191, true), (10_248_192, false), (-10_248_191, true), (-10_248_192, false)] {
    #expect(isRead { $0.slot = Int64(slot) } == isValid, "slot \(slot)")
  }
  for (row, column, isValid) in [
    (19_980, 0, true), (19_981, 0, false), (-19_980, 0, true), (-19_981, 0, false), (0, 79_919, true),
    (0, 79_920, false), (0, -1, false),
  ] as [(Int32, Int32, Bool)] {
    let node = Node(lattice: .near, row: 0, column: 0)
    let zone = DwellZone(cell: DwellCell(row: row, column: column), node: node)
    #expect(isRead { $0.zones = [zone] } == isValid, "cell \(row), \(column)")
  }
  for (slots, isValid) in [(1, true), (2, false)] as [(UInt8, Bool)] {
    #expect(isRead { $0.slowSlots = slots } == isValid, "\(slots) slow slots")
  }
}

@Test(arguments: 0..<10)
func `restarts at any time do not change the answers`(seed: UInt64) throws {
  var (restarted, steady) = (try Device(seed: seed), try Device(seed: seed))
  var generator = SplitMix64(seed: seed)
  var position = generator.positionInTown()
  for _ in 0..<400 {
    if Bool.random(using: &generator) {
      position = position.moved(east: generator.metres(-1500...1500), north: generator.metres(-1500...1500))
    }
    let pause = generator.metres(0...1500)
    restarted.wait(pause)
    steady.wait(pause)
    if Int.random(in: 0..<3, using: &generator) == 0 { try restarted.restart() }
    #expect(restarted.ask(position) == steady.ask(position))
  }
  #expect(restarted.cloak.memory == steady.cloak.memory && !steady.cloak.memory.zones.isEmpty)
}

@Test func `every truncation and every additional byte is rejected, and every flipped bit gives none or these bytes`()
  throws
{
  let bytes = try fullMemory(seed: 3, zones: 3).encoded()
  for count in 0..<bytes.count { #expect(Cloak.Memory(encoded: Array(bytes.prefix(count))) == nil) }
  for byte in [0, 1, 255] as [UInt8] { #expect(Cloak.Memory(encoded: bytes + [byte]) == nil) }
  var accepted = 0
  for flipped in flips(of: bytes) {
    guard let memory = Cloak.Memory(encoded: flipped) else { continue }
    accepted += 1
    #expect(memory.encoded() == flipped)
    // The memory is usable.
    var device = try Device(seed: 3)
    device.cloak = Cloak(key: device.key, memory: memory, boot: "1")
    // The rest of a slot of another boot is over.
    device.wait(2000)
    let fixes = [device.ask(.munich), device.nextSlot(.munich), device.nextSlot(.munich)]
    #expect(fixes.allSatisfy { (-90.0...90).contains($0.latitude) && (-180.0..<180).contains($0.longitude) })
  }
  #expect(accepted > 0)
}

@Test func `random bytes never trap`() {
  var generator = SplitMix64(seed: 4)
  for round in 0..<20_000 {
    var bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
    }
    // Most random bytes fail at the first byte, so the first bytes are made valid.
    if round % 4 > 0 { bytes = [UInt8(round % 4), 2] + [UInt8](repeating: 0, count: 27 + round % 9) + bytes }
    if let memory = Cloak.Memory(encoded: bytes) { #expect(memory.encoded() == bytes) }
  }
}

@Test(
  arguments: [
    ("another version", [0], 0), ("another version", [4], 0), ("an unknown kind", [4], 1),
    ("a boot that is no text", [0xFF], 3),
    ("more than a slot left", [0x01], 12), ("unknown flags", [4], 20),
    ("a lattice without answers", [2], 29), ("an unknown lattice", [3], 29),
    ("a row beyond the pole", [0, 0, 0x13, 0x84], 30),
    ("a negative column", [0xFF], 34), ("a flag that is neither", [7], 38),
    ("a latitude that is no number", [0x7F, 0xF8], 39),
    ("a longitude beyond 180", [0x40, 0x66, 0x80, 0, 0, 0, 0, 1], 47),
  ] as [(String, [UInt8], Int)])
func `a field that is out of range is rejected`(what: String, patch: [UInt8], position: Int) throws {
  var bytes = try fullMemory(seed: 5, zones: 1).encoded()
  bytes.replaceSubrange(position..<position + patch.count, with: patch)
  #expect(Cloak.Memory(encoded: bytes) == nil, "\(what)")
}

@Test func `a node in force that is the answer is rejected, because its encoding has another kind`() throws {
  let bytes = try fullMemory(seed: 5, zones: 1).encoded()
  func memory(withForce field: [UInt8]) -> Cloak.Memory? {
    var changed = bytes
    changed[1] = 3
    changed.insert(contentsOf: field, at: 38)
    return Cloak.Memory(encoded: changed)
  }
  #expect(bytes[1] == 2 && memory(withForce: [0]) != nil)
  #expect(memory(withForce: [2]) == nil)
  #expect(memory(withForce: [1] + Array(bytes[29..<38])) == nil)
}

@Test func `two zones of one cell, and more than 32 zones, are rejected`() throws {
  var bytes = try fullMemory(seed: 6, zones: 2).encoded()
  bytes.replaceSubrange(73..<81, with: bytes[57..<65])
  #expect(Cloak.Memory(encoded: bytes) == nil)
  var memory = try fullMemory(seed: 1, zones: 32)
  memory.zones += try fullMemory(seed: 3, zones: 1).zones.prefix(1)
  #expect(memory.zones.count == 33 && Cloak.Memory(encoded: memory.encoded()) == nil)
}

@Test func `the descriptions of key, memory and cloak contain no secret`() throws {
  var device = try Device(seed: 7)
  _ = device.ask(.munich)
  _ = device.nextSlot(.munich)
  _ = device.nextSlot(.munich.moved(east: 9000, north: 0))
  for value in [device.key, device.cloak.memory, device.cloak] as [Any] {
    var dumped = ""
    dump(value, to: &dumped)
    let text = "\(value) \(String(reflecting: value)) \(dumped)"
    #expect(!text.contains("48.") && !text.contains("11.") && !text.contains("Node") && text.count < 200)
  }
}

@Test(arguments: [(1, Mechanism.independent, 250), (2, .earlyShared, 15)] as [(UInt8, Mechanism, Int)])
func `a device with an older memory keeps its mechanism, and answers for every position as before`(
  version: UInt8, mechanism: Mechanism, least: Int
) throws {
  var generator = SplitMix64(seed: 30)
  var differences = 0
  for seed in 0..<50 as Range<UInt64> {
    var upgraded = try Device(seed: seed, mechanism: mechanism)
    var steady = upgraded
    var new = try Device(seed: seed)
    let home = generator.positionInTown()
    #expect(upgraded.ask(home) == steady.ask(home))
    _ = new.ask(home)
    #expect(upgraded.cloak.memory.encoded().first == version)
    try upgraded.restart()
    for _ in 0..<10 {
      let position = generator.positionInTown()
      let answer = steady.nextSlot(position)
      #expect(upgraded.nextSlot(position) == answer)
      if new.nextSlot(position) != answer { differences += 1 }
    }
    #expect(upgraded.cloak.memory.encoded().first == version)
  }
  #expect(differences > least)
}
