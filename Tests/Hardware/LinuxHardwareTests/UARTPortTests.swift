import Base
import Hardware
@testable import LinuxHardware
import OperatingSystem
import PseudoTerminals
import Requirements
import Testing

@Test(.patient)
func `a long stream of all bytes arrives unchanged and in order, with its read times`() async throws {
  let terminal = try PseudoTerminal()
  let port = try await OpenPort(UARTPort(path: terminal.path, speed: 9600))
  let all = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  let before = SystemClock.monotonic
  let writer = Task {
    var sent = 0
    while sent < all.count {
      let taken = terminal.send(Array(all[sent..<min(sent + 1000, all.count)]))
      if taken > 0 { sent += taken } else { await Task.yield() }
    }
  }
  var received: [UInt8] = []
  for await chunk in port.stream {
    received += chunk.bytes
    #expect(chunk.arrived >= before && chunk.arrived <= SystemClock.monotonic)
    if received.count >= all.count { break }
  }
  #expect(received == all)
  await writer.value
  try await port.stop()
}

@Test(.patient)
func `bytes that were sent before the port was opened are dropped`() async throws {
  let terminal = try PseudoTerminal()
  terminal.send("$GPGGA,120000,stale\n")
  let port = try await OpenPort(UARTPort(path: terminal.path, speed: 9600))
  terminal.send("fresh")
  #expect(await port.read(5) == Array("fresh".utf8))
  try await port.stop()
}

@Test(.patient, arguments: SerialSpeed.all)
func `the line is raw, without parity and flow control, at the configured speed`(speed: Int) async throws {
  let terminal = try PseudoTerminal()
  #expect(!terminal.isRaw(speed: speed))
  let port = try UARTPort(path: terminal.path, speed: speed)
  #expect(port.name == "uart:\(terminal.path):\(speed)")
  let running = try await OpenPort(port)
  #expect(terminal.isRaw(speed: speed))
  try await running.stop()
}

@Test(.patient)
func `a port is locked for other programs until it is closed, and then leaves no descriptor behind`() async throws {
  let terminal = try PseudoTerminal()
  let first = try UARTPort(path: terminal.path, speed: 9600)
  let slave = try #require(DeviceNode(terminal.path)).path
  func descriptors() -> Int {
    Folder.names(in: "/proc/self/fd").count { DeviceNode.link(at: "/proc/self/fd/\($0)") == slave }
  }
  for _ in 0..<3 {
    let running = try await OpenPort(first)
    #expect(descriptors() > 0)
    for other in [first, try UARTPort(path: terminal.path, speed: 9600)] {
      let error = await #expect(throws: HardwareError.self) { try await other.run(opened: {}) { _, _ in } }
      #expect(error?.kind == .busy)
    }
    // The refused attempts have taken no bytes from the open port.
    terminal.send("still here")
    #expect(await running.read(10) == Array("still here".utf8))
    try await running.stop()
    #expect(descriptors() == 0)
  }
}

@Test(arguments: [-1, 0, 9601, 1_000_000])
func `an unsupported speed is refused`(speed: Int) {
  let error = #expect(throws: HardwareError.self) { _ = try UARTPort(path: "/dev/ttyS0", speed: speed) }
  #expect(error?.kind == .unsuitable)
  #expect(error?.remedy?.isEmpty == false)
}
