import Hardware
@testable import LinuxHardware
import PseudoTerminals
import Requirements
import Sentences
import Testing

private func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

@Test(.patient)
func `sent bytes arrive in order and unchanged while the other end also sends`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200))
  let all = (0..<2000).flatMap(number)
  var arrived: [UInt8] = []
  var taken = 0
  for index in 0..<2000 {
    try open.port.send(number(index))
    taken += terminal.send([UInt8(index & 0xFF)])
    // 4 kB fill the line.
    if index % 100 == 99 { while arrived.count < 2 * (index + 1) { arrived += terminal.receive() } }
  }
  #expect(arrived == all)
  #expect(taken == 2000)
  #expect(await open.read(2000) == (0..<2000).map { UInt8($0 & 0xFF) })
  try await open.stop()
}

@Test(.patient)
func `a port that is not open sends nothing`() async throws {
  let terminal = try PseudoTerminal()
  let closed = try UARTPort(path: terminal.path, speed: 9600)
  let error = #expect(throws: HardwareError.self) { try closed.send([1, 2]) }
  #expect(error?.operation == "write" && error?.object == terminal.path)
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200))
  try open.port.send([1, 2])
  try await open.stop()
  #expect(throws: HardwareError.self) { try open.port.send([1, 2]) }
}

@Test(.patient)
func `a port with a full queue refuses bytes, still reads, and is absent if its cable is disconnected`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200))
  let full = #expect(throws: HardwareError.self) {
    while true { try open.port.send([UInt8](repeating: 0x55, count: 100)) }
  }
  #expect(full?.kind == .failed && full?.remedy != nil)
  terminal.send("last words")
  #expect(await open.read(10) == Array("last words".utf8))
  terminal.hangUp()
  let error = await #expect(throws: HardwareError.self) { try await open.task.value }
  #expect(error?.kind == .absent && error?.object == terminal.path)
  #expect(throws: HardwareError.self) { try open.port.send([1, 2]) }
}

@Test(.patient)
func `the speed and the line capacity are known after the first delivered bytes`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: nil))
  #expect(!open.port.isSpeedKnown && open.port.lineCapacity == nil)
  let sentence = "$GNGLL,,,,,,V,N*7A\r\n"
  // The test sends repeatedly, like a receiver: bytes that arrive during the search are lost.
  while !open.port.isSpeedKnown {
    terminal.send(sentence)
    await Task.yield()
  }
  #expect(await open.read(1).isEmpty == false)
  #expect(open.port.lineCapacity == open.port.speed / 10)
  try await open.stop()
  let fixed = try UARTPort(path: terminal.path, speed: 38_400)
  #expect(fixed.isSpeedKnown && fixed.lineCapacity == 3840)
}

@Test(.patient)
func `a reopened port begins its search at the speed that was found before`() async throws {
  let terminal = try PseudoTerminal()
  let port = try UARTPort(path: terminal.path)
  let sentence = Array("$GNGLL,,,,,,V,N*7A\r\n".utf8)
  let noise = [UInt8](repeating: 0x80, count: 12)
  /// Returns the speeds at which a search begins and ends. `sending` returns the byte count for each speed, since a
  /// pseudo-terminal has no speed.
  func search(sending: (Int) -> Int) async throws -> (begin: Int, end: Int) {
    let (openings, opening) = AsyncStream.makeStream(of: Int.self)
    let task = Task { try await port.run(opened: { opening.yield(port.speed) }) { _, _ in } }
    var begin = 0
    for await speed in openings {
      begin = speed
      break
    }
    while !port.isSpeedKnown {
      _ = sending(port.speed)
      await Task.yield()
    }
    task.cancel()
    try await task.value
    return (begin, port.speed)
  }
  var found = try await search { terminal.send($0 == 9600 ? noise : sentence) }
  #expect(found.begin == 9600)
  // The found speed depends on the timing. On a busy machine, a sentence for another speed can arrive at 9600.
  while found.end == 9600 { found = try await search { terminal.send($0 == 9600 ? noise : sentence) } }
  #expect(try await search { _ in terminal.send(sentence) }.begin == found.end)
}

@Test(arguments: [
  ("/dev/ttyACM0", true), ("/dev/ttyACM12", true), ("/dev/ttyUSB0", false), ("/dev/ttyS0", false),
  ("/dev/pts/4", false),
])
func `the speed of a receiver with its own USB interface has no meaning`(device: String, isUSB: Bool) {
  #expect(UARTPort.isUSB(device: device) == isUSB)
}

@Test(.patient)
func `a port without a given speed sends the wake-up sentences at each speed until a byte arrives`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, wakeUp: Array("wake".utf8)))
  // The first speed is silent for as long as a receiver may pause, and then each speed gets the sentences. A busy
  // machine may read the sentences of a third speed with those of the second one.
  #expect(await terminal.receive(8).starts(with: "wakewake".utf8))
  #expect(open.port.wakeUps >= 2)
  while !open.port.isSpeedKnown {
    terminal.send(nmeaSentence("GPHDT,1.0,T"))
    await Task.yield()
  }
  #expect(open.port.wakeUps == 0)
  try await open.stop()
}

@Test(.patient)
func `a port with a given speed sends the wake-up sentences after some seconds without a byte`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200, wakeUp: Array("wake".utf8)))
  #expect(await terminal.receive(4) == Array("wake".utf8))
  #expect(open.port.wakeUps == 1)
  terminal.send("a")
  #expect(await open.read(1) == Array("a".utf8))
  #expect(open.port.wakeUps == 0)
  try await open.stop()
}
