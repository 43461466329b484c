import Glibc
import Hardware
import PseudoTerminals
import Requirements
import Synchronization
import Testing

@testable import LinuxHardware

/// An open console with its input.
private struct OpenConsole {
  let port: SerialConsolePort
  let inputs: AsyncStream<ConsoleInput>
  let reach: ConsoleLocation
  let task: Task<Void, any Error>

  /// Returns when the port is open. Throws the error if it fails.
  init(_ port: SerialConsolePort) async throws {
    let (inputs, continuation) = AsyncStream.makeStream(of: ConsoleInput.self)
    let (openings, opening) = AsyncStream.makeStream(of: ConsoleLocation.self)
    self.port = port
    self.inputs = inputs
    let task = Task {
      defer {
        continuation.finish()
        opening.finish()
      }
      try await port.run(opened: { opening.yield($0) }) { continuation.yield($0) }
    }
    self.task = task
    for await reach in openings {
      self.reach = reach
      return
    }
    try await task.value
    throw HardwareError(.failed, "open", port.name, cause: "it ended")
  }

  func read(_ count: Int) async -> [UInt8] {
    var received: [UInt8] = []
    for await input in inputs {
      if case .bytes(let bytes) = input { received += bytes }
      if received.count >= count { break }
    }
    return received
  }

  func stop() async throws {
    task.cancel()
    try await task.value
  }
}

@Suite struct ConsoleInputDecoderTests {
  @Test(arguments: [
    ([0x61, 0x62], [ConsoleInput.bytes([0x61, 0x62])]), ([0xFF, 0xFF, 0x61], [.bytes([0xFF, 0x61])]),
    ([0xFF, 0x00, 0x00], [.breakCondition]),
    ([0x61, 0xFF, 0x00, 0x00, 0x62], [.bytes([0x61]), .breakCondition, .bytes([0x62])]),
    ([0xFF, 0x00, 0x00, 0xFF, 0x00, 0x00], [.breakCondition, .breakCondition]),
    // A byte with a framing error, such as noise.
    ([0xFF, 0x00, 0x41, 0x61], [.bytes([0x61])]), ([0xFF], []), ([0xFF, 0x00], []), ([], []),
    ([0x00, 0x00], [.bytes([0, 0])]), ([0xFF, 0x41], [.bytes([0x41])]),
  ])
  func `a break is distinguished from bytes, for any chunks`(received: [UInt8], inputs: [ConsoleInput]) {
    var whole = ConsoleInputDecoder()
    #expect(whole.decode(received) == inputs)
    for cut in 0...received.count {
      var decoder = ConsoleInputDecoder()
      #expect(joined(decoder.decode(received[..<cut]) + decoder.decode(received[cut...])) == inputs)
    }
  }

  private func joined(_ inputs: [ConsoleInput]) -> [ConsoleInput] {
    inputs.reduce(into: []) { joined, input in
      if case .bytes(let more) = input, case .bytes(let bytes)? = joined.last {
        joined[joined.count - 1] = .bytes(bytes + more)
      } else {
        joined.append(input)
      }
    }
  }
}

@Suite struct SerialConsolePortTests {
  @Test(.patient)
  func `any input arrives unchanged, and output of any length in order`() async throws {
    let terminal = try PseudoTerminal()
    let console = try await OpenConsole(SerialConsolePort(path: terminal.path, speed: 9600))
    #expect(terminal.isRaw(speed: 9600))
    #expect(console.reach == .local)
    let input = (0...255).map(UInt8.init) + [0xFF, 0x00, 0x00, 0xFF]
    terminal.send(input)
    #expect(await console.read(input.count) == input)
    let all = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    for start in stride(from: 0, to: all.count, by: 1000) {
      #expect(console.port.send(Array(all[start..<start + 1000])))
    }
    #expect(await terminal.receive(all.count) == all)
    try await console.stop()
    // A stopped console is not locked any more.
    try await OpenConsole(SerialConsolePort(path: terminal.path, speed: 9600)).stop()
  }

  @Test(.patient)
  func `unread output is bounded, and can be discarded`() async throws {
    let terminal = try PseudoTerminal()
    let console = try await OpenConsole(SerialConsolePort(path: terminal.path, speed: 115_200))
    let secret = [UInt8](repeating: UInt8(ascii: "s"), count: 1024)
    var sent = 0
    while console.port.send(secret) {
      sent += 1
      try #require(sent < 1000)
    }
    console.port.discardUnsent()
    // One portion may already be sent.
    while !console.port.send(Array("fresh".utf8)) { await Task.yield() }
    var received: [UInt8] = []
    while !received.contains(UInt8(ascii: "h")) {
      received += terminal.receive()
      await Task.yield()
    }
    #expect(received.suffix(5) == Array("fresh".utf8)[...])
    // The other end has received at most the capacity of its terminal and one portion.
    #expect(received.count <= 4096 + 256 + 5)
    try await console.stop()
  }

  @Test(.patient)
  func `a lost port delivers a hang-up, and can be opened again when it is back`() async throws {
    let terminal = try PseudoTerminal()
    let port = SerialConsolePort(path: terminal.path, speed: 9600)
    let console = try await OpenConsole(port)
    terminal.send("x")
    #expect(await console.read(1) == [UInt8(ascii: "x")])
    terminal.hangUp()
    var last: ConsoleInput?
    for await input in console.inputs { last = input }
    #expect(last == .hangUp)
    let error = await #expect(throws: HardwareError.self) { try await console.task.value }
    #expect(error?.kind == .absent && error?.object == terminal.path)
    // The output of a closed port is dropped.
    #expect(port.send([UInt8](repeating: 0, count: 1_000_000)))
    let again = await #expect(throws: HardwareError.self) { _ = try await OpenConsole(port) }
    #expect(again?.kind == .absent && again?.remedy?.isEmpty == false)
    let back = try PseudoTerminal(at: terminal.path)
    let reopened = try await OpenConsole(port)
    back.send("y")
    #expect(await reopened.read(1) == [UInt8(ascii: "y")])
    try await reopened.stop()
  }

  @Test(.enabled(if: getuid() == 0, "only root may give a terminal away"), .patient)
  func `a terminal of another user is remote`() async throws {
    let terminal = try PseudoTerminal()
    #expect(unsafe chown(terminal.path, 65_534, 65_534) == 0)
    let console = try await OpenConsole(SerialConsolePort(path: terminal.path, speed: 9600))
    #expect(console.reach == .remote)
    try await console.stop()
  }
}
