import Base
import Glibc
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
func `a port that hangs up is absent`() async throws {
  let terminal = try PseudoTerminal()
  let port = try await OpenPort(UARTPort(path: terminal.path, speed: 9600))
  terminal.send("last words")
  #expect(await port.read(10) == Array("last words".utf8))
  terminal.hangUp()
  let error = await #expect(throws: HardwareError.self) { try await port.task.value }
  #expect(error?.kind == .absent)
  #expect(error?.object == terminal.path)
}

@Test(.patient)
func `a port is locked for other programs until it is closed`() async throws {
  let terminal = try PseudoTerminal()
  let first = try UARTPort(path: terminal.path, speed: 9600)
  for _ in 0..<3 {
    let running = try await OpenPort(first)
    for other in [first, try UARTPort(path: terminal.path, speed: 9600)] {
      let error = await #expect(throws: HardwareError.self) { try await other.run(opened: {}) { _, _ in } }
      #expect(error?.kind == .busy)
    }
    // The refused attempts have taken no bytes from the open port.
    terminal.send("still here")
    #expect(await running.read(10) == Array("still here".utf8))
    try await running.stop()
  }
}

@Test(arguments: [
  ("/nowhere/tty", HardwareError.Kind.absent), ("/dev/null", .unsuitable), ("/dev/zero", .unsuitable),
  ("/dev", .unsuitable), ("/dev/pts/999999", .absent),
])
func `a path that is not a serial port is refused with a remedy`(path: String, kind: HardwareError.Kind) async throws {
  let port = try UARTPort(path: path, speed: 9600)
  let error = await #expect(throws: HardwareError.self) {
    try await port.run(opened: { Issue.record("it was opened") }) { _, _ in }
  }
  #expect((error?.kind, error?.object) == (kind, path))
  #expect(error?.remedy?.isEmpty == false)
}

@Test(.patient)
func `a port that was opened and closed leaves no descriptor behind`() async throws {
  let terminal = try PseudoTerminal()
  let port = try UARTPort(path: terminal.path, speed: 9600)
  let resolved = unsafe realpath(terminal.path, nil)
  defer { unsafe free(resolved) }
  let slave = unsafe String(cString: try #require(resolved))
  func descriptors() -> Int {
    Folder.names(in: "/proc/self/fd").count { number in
      var name = [CChar](repeating: 0, count: 128)
      // The count leaves space for the final zero.
      let length = unsafe readlink("/proc/self/fd/\(number)", &name, 127)
      return length > 0
        && String(decoding: name[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) == slave
    }
  }
  for _ in 0..<5 {
    let running = try await OpenPort(port)
    #expect(descriptors() > 0)
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
