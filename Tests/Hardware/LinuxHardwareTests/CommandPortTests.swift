import Clocks
import Framing
import GNSS
import Hardware
@testable import LinuxHardware
import SimulatedUBlox
import Synchronization
import Testing
import UBX

private func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

@Test(.timeLimit(.minutes(1)))
func `what is sent arrives in order and unchanged, while the other end sends, too`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200))
  let all = (0..<2000).flatMap(number)
  var arrived: [UInt8] = []
  var taken = 0
  for index in 0..<2000 {
    try await open.port.send(number(index))
    taken += terminal.send([UInt8(index & 0xFF)])
    // More than 4 kB fills the line.
    if index % 100 == 99 { while arrived.count < 2 * (index + 1) { arrived += terminal.receive() } }
  }
  #expect(arrived == all)
  #expect(taken == 2000)
  #expect(await open.read(2000) == (0..<2000).map { UInt8($0 & 0xFF) })
  try await open.stop()
}

@Test(.timeLimit(.minutes(1)))
func `a port that is not open takes nothing`() async throws {
  let terminal = try PseudoTerminal()
  let closed = try UARTPort(path: terminal.path, speed: 9600)
  let error = await #expect(throws: HardwareError.self) { try await closed.send([1, 2]) }
  #expect(error?.operation == "write" && error?.object == terminal.path)
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200))
  try await open.port.send([1, 2])
  try await open.stop()
  await #expect(throws: HardwareError.self) { try await open.port.send([1, 2]) }
}

@Test(.timeLimit(.minutes(1)))
func `a full line refuses what it cannot take, is read on, and can be closed`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200))
  var accepted = 0
  let error = await #expect(throws: HardwareError.self) {
    // Nobody reads the other end.
    for index in 0..<100_000 {
      try await open.port.send(number(index))
      accepted += 1
    }
  }
  #expect(error?.kind == .failed && error?.remedy != nil)
  #expect(accepted > 1000)
  terminal.send("still read")
  #expect(await open.read(10) == Array("still read".utf8))
  // What was accepted comes when there is room again, and nothing of what was refused.
  var arrived: [UInt8] = []
  while arrived.count < 2 * accepted { arrived += terminal.receive() }
  #expect(arrived == (0..<accepted).flatMap(number))
  for index in 0..<accepted { try? await open.port.send(number(index)) }
  try await open.stop()
}

@Test(.timeLimit(.minutes(1)))
func `a cable that is pulled ends a port whose line is full`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: 115_200))
  await #expect(throws: HardwareError.self) {
    while true { try await open.port.send([UInt8](repeating: 0x55, count: 100)) }
  }
  terminal.hangUp()
  let error = await #expect(throws: HardwareError.self) { try await open.task.value }
  #expect(error?.kind == .absent)
  await #expect(throws: HardwareError.self) { try await open.port.send([1, 2]) }
}

@Test(.timeLimit(.minutes(1)))
func `a speed is known once bytes were handed over, and with it what the line carries`() async throws {
  let terminal = try PseudoTerminal()
  let open = try await OpenPort(UARTPort(path: terminal.path, speed: nil))
  #expect(!open.port.isSpeedKnown && open.port.lineCapacity == nil)
  let sentence = "$GNGLL,,,,,,V,N*7A\r\n"
  // It goes on as receivers do: what comes while speeds are tried is lost.
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

@Test(.timeLimit(.minutes(1)))
func `a port that is opened again looks for the receiver at the speed at which it was found`() async throws {
  let terminal = try PseudoTerminal()
  let port = try UARTPort(path: terminal.path)
  let sentence = Array("$GNGLL,,,,,,V,N*7A\r\n".utf8)
  let noise = [UInt8](repeating: 0x80, count: 12)
  /// The speed that is found where it is told what to send at each. A pseudo-terminal carries what is said at every one.
  func found(sending: (Int) -> Int) async throws -> Int {
    let (openings, opening) = AsyncStream.makeStream(of: Void.self)
    let task = Task { try await port.run(opened: { opening.yield() }) { _, _ in } }
    for await _ in openings { break }
    while !port.isSpeedKnown {
      _ = sending(port.speed)
      await Task.yield()
    }
    task.cancel()
    try await task.value
    return port.speed
  }
  // Which it is besides 9600 is a matter of moments.
  let first = try await found { terminal.send($0 == 9600 ? noise : sentence) }
  #expect(first != 9600)
  // Where every speed is right the first that is tried is found.
  #expect(try await found { _ in terminal.send(sentence) } == first)
}

@Test(arguments: [
  ("/dev/ttyACM0", true), ("/dev/ttyACM12", true), ("/dev/ttyUSB0", false), ("/dev/ttyS0", false),
  ("/dev/pts/4", false),
])
func `a receiver that is a USB device itself has a speed without a meaning`(device: String, isUSB: Bool) {
  #expect(UARTPort.isUSB(device: device) == isUSB)
}

// MARK: Configuration

private let settings = ReceiverSettings(
  port: .uart1, period: 200, messages: [.navPVT: 1, .gst: 1, .gll: 0], constellations: [.gps, .galileo],
  dynamicModel: .automotive)

private let keys: Set<UInt32> = [
  0x1074_0001, 0x1074_0002, 0x2091_0007, 0x2091_00D4, 0x2091_00CA, 0x3021_0001, 0x3021_0002, 0x2011_0021, 0x1031_001F,
  0x1031_0020, 0x1031_0021, 0x1031_0022, 0x1031_0024, 0x1031_0025,
]

/// Configures a receiver through a real port. Where no answer comes the clock goes on at once, and nobody waits.
private func configure(_ receiver: UBloxOnTerminal) async throws -> ConfigurationReport {
  let open = try await OpenPort(UARTPort(path: receiver.path, speed: 115_200))
  var configurator = Configurator(settings)
  var now = MonotonicInstant(nanoseconds: 0)
  var outgoing = configurator.start(at: now)
  var scanner = FrameScanner()
  var answers = receiver.answers.makeAsyncIterator()
  while !configurator.isFinished {
    guard !outgoing.isEmpty else {
      now = try #require(configurator.nextDeadline)
      outgoing = configurator.timePassed(at: now)
      continue
    }
    try await open.port.send(outgoing)
    outgoing = []
    let bytes = await open.read(try #require(await answers.next()))
    now = now + .milliseconds(20)
    for (identifier, payload) in scanner.frames(in: bytes) {
      outgoing += configurator.receive(identifier, payload.span, at: now)
    }
  }
  try await open.stop()
  return configurator.report
}

@Test(.timeLimit(.minutes(1)))
func `a receiver that knows keys is configured through the port`() async throws {
  let receiver = try UBloxOnTerminal(.m10(keys: keys))
  let report = try await configure(receiver)
  #expect(report.version?.model == "MAX-M10S")
  #expect(report.notApplied.isEmpty && report.applied.count == 7)
  #expect(receiver.receiver.values[0x3021_0001] == 200 && receiver.receiver.values[0x2091_00D4] == 1)
}

@Test(.timeLimit(.minutes(1)))
func `an older receiver is configured through the port`() async throws {
  let receiver = try UBloxOnTerminal(.m8)
  let report = try await configure(receiver)
  #expect(report.notApplied.isEmpty && report.applied.count == 7)
  #expect(receiver.receiver.period == 200 && receiver.receiver.dynamicModel == 4)
  #expect(receiver.receiver.rates[UBXIdentifier(0xF0, 0x07)] == 1)
}

@Test(.timeLimit(.minutes(1)))
func `a receiver that hears nothing is asked three times what it is, and nothing else`() async throws {
  var deaf = ConfiguredReceiver.m8
  deaf.lost = Set(0..<100)
  let receiver = try UBloxOnTerminal(deaf)
  let report = try await configure(receiver)
  #expect(report.version == nil && report.applied.isEmpty)
  #expect(receiver.receiver.received.map(\.0) == [.monVER, .monVER, .monVER])
}

@Test(.timeLimit(.minutes(1)))
func `a receiver that refuses settings is told so, and has the others`() async throws {
  let receiver = try UBloxOnTerminal(.m10(keys: keys.subtracting([0x3021_0001, 0x1031_0025])))
  let report = try await configure(receiver)
  #expect(
    report.notApplied == [
      .init(setting: .period, outcome: .refused), .init(setting: .constellation(.glonass), outcome: .refused),
    ])
  #expect(receiver.receiver.values[0x2091_0007] == 1)
}

@Test(.timeLimit(.minutes(1)), arguments: [ConfiguredReceiver.m8, .m10(keys: keys)])
func `a receiver whose first answers are lost is configured all the same`(model: ConfiguredReceiver) async throws {
  var slow = model
  slow.lost = [0, 1, 3]
  let receiver = try UBloxOnTerminal(slow)
  let report = try await configure(receiver)
  #expect(report.notApplied.isEmpty && report.applied.count == 7)
}
