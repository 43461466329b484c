import Hardware
import LineProtocol
import OneFixClient
import OwnerScreens
import Requirements
import ScriptedGateways
import Synchronization
import Testing

@testable import OwnerClients

/// A port that the test controls: each run uses one opening, which defines the input.
private final class PlayedPort: ConsolePort {
  enum Opening: Sendable { case inputs(AsyncStream<ConsoleInput>), failure(HardwareError) }

  let name = "/dev/played"
  let written = Mutex<[UInt8]>([])
  /// The number of bytes that are read from the port. Further output is not read.
  let capacity = Mutex(Int.max)
  let discards = Mutex(0)
  private let reach: ConsoleLocation
  private let openings: Mutex<[Opening]>

  init(_ reach: ConsoleLocation, _ openings: [Opening]) {
    self.reach = reach
    self.openings = Mutex(openings.reversed())
  }

  func run(
    opened: @Sendable (ConsoleLocation) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws {
    guard let opening = openings.withLock({ $0.popLast() }) else {
      // After the last opening, the port waits for its cancellation.
      return await untilCancelled()
    }
    switch opening {
    case .failure(let error): throw error
    case .inputs(let inputs):
      await opened(reach)
      for await input in inputs { await receive(input) }
    }
    if Task.isCancelled { return }
    await receive(.hangUp)
    throw HardwareError(.absent, "read", name, cause: "the other end hung up")
  }

  func send(_ bytes: [UInt8]) -> Bool {
    let hasRoom = capacity.withLock { capacity in
      capacity -= min(capacity, bytes.count)
      return capacity > 0
    }
    if hasRoom { written.withLock { $0 += bytes } }
    return hasRoom
  }

  func discardUnsent() { discards.withLock { $0 += 1 } }

  var text: String { String(decoding: written.withLock { $0 }, as: UTF8.self) }

  /// Waits until the text has been written a number of times.
  func shows(_ shown: String, times: Int = 1) async throws {
    while text.ranges(of: shown).count < times {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}

extension PlayedPort.Opening {
  fileprivate static func typing(_ inputs: ConsoleInput...) -> Self {
    let (stream, continuation) = AsyncStream.makeStream(of: ConsoleInput.self)
    for input in inputs { continuation.yield(input) }
    continuation.finish()
    return .inputs(stream)
  }
}

extension ConsoleInput {
  fileprivate static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }
}

@Suite struct OwnerConsoleTests {
  private static let absent = HardwareError(.absent, "open", "/dev/played", cause: "no such file or directory")
  private static let hungUp = HardwareError(.absent, "read", "/dev/played", cause: "the other end hung up")

  /// Runs a console until it has sent a number of reports. By default, the console tries nothing again.
  private func reports(
    _ count: Int, of port: PlayedPort, gateway: OneFixClient.Endpoint = .unix("/nowhere/owner.sock"),
    checkPIN: (@Sendable (String) async -> Bool)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in await untilCancelled() }
  ) async -> [OwnerConsole.Report] {
    let (reports, continuation) = AsyncStream.makeStream(of: OwnerConsole.Report.self)
    let console = OwnerConsole(
      OwnerConsole.Settings(session: .init(), gateway: gateway), port: port, checkPIN: checkPIN,
      report: { continuation.yield($0) }, sleep: sleep)
    let run = Task { await console.run() }
    var heard: [OwnerConsole.Report] = []
    for await report in reports.prefix(count) { heard.append(report) }
    run.cancel()
    await run.value
    return heard
  }

  @Test(.patient)
  func `a lost port is opened again after longer and longer pauses, and equal failures are reported once`() async throws
  {
    let port = PlayedPort(
      .local,
      [.failure(Self.absent), .failure(Self.absent), .typing(.text("\r")), .typing(.text("\r"), .breakCondition)])
    let slept = Recorder<Duration>()
    try await withGateway({ connection, _ in try await connection.agree() }) { gateway in
      #expect(
        await reports(9, of: port, gateway: gateway, sleep: { slept.record($0) }) == [
          .unavailable(Self.absent), .opened, .begun, .ended(.hangUp), .unavailable(Self.hungUp), .opened, .begun,
          .ended(.breakCondition), .unavailable(Self.hungUp),
        ])
    }
    #expect(slept.values.prefix(3) == [.seconds(1), .seconds(2), .seconds(1)])
  }

  @Test(.patient)
  func `an absent gateway is tried again after longer and longer pauses, up to half a minute`() async {
    let slept = Recorder<Duration>()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let console = OwnerConsole(
      OwnerConsole.Settings(session: .init(), gateway: .unix("/nowhere/owner.sock")), port: PlayedPort(.local, []),
      sleep: {
        slept.record($0)
        guard slept.values.count == 7 else { return }
        end.finish()
        await untilCancelled()
      })
    let run = Task { await console.run() }
    for await _ in ends {}
    run.cancel()
    await run.value
    #expect(Array(slept.values.prefix(7)) == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
  }

  @Test(.patient)
  func `a console that ends does not report the gateway as lost`() async throws {
    let text = try await withConsole(gateway: { connection, _ in try await connection.agree() }) { port, typing in
      typing.yield(.text("\r"))
      typing.yield(.text("status\r"))
      try await port.shows("onefix>", times: 2)
    }
    #expect(!text.contains("no longer answers"))
  }

  @Test(.patient)
  func `a serial line sends nothing without a PIN and requires a PIN, and a local terminal does not`() async {
    let bare = PlayedPort(.remote, [.typing(.text("\rstatus\rhelp\r"), .breakCondition, .text("\r"))])
    #expect(await reports(2, of: bare) == [.withoutPIN, .unavailable(Self.hungUp)])
    #expect(bare.text == "")
    let far = PlayedPort(.remote, [.typing(.text("\r"), .text("status\r"))])
    let asked = Mutex<[String]>([])
    let check: @Sendable (String) async -> Bool = { pin in
      asked.withLock { $0.append(pin) }
      return false
    }
    #expect(await reports(3, of: far, checkPIN: check).contains(.begun) == false)
    #expect(asked.withLock { $0 } == ["status"])
    let near = PlayedPort(.local, [.typing(.text("\r"))])
    #expect(await reports(2, of: near, checkPIN: check) == [.opened, .begun])
    #expect(asked.withLock { $0 }.count == 1)
  }

  @Test(.patient)
  func `a terminal that does not read ends the session, and its output is discarded`() async {
    let port = PlayedPort(.local, [.typing(.text("\r"), .text("help\r"), .text("help\r"))])
    port.capacity.withLock { $0 = 1500 }
    #expect(await reports(3, of: port) == [.opened, .begun, .ended(.outputFull)])
    #expect(port.discards.withLock { $0 } >= 1)
  }

  @Test(.patient)
  func `a fix is shown only at an open port that takes it`() async {
    let (inputs, typing) = AsyncStream.makeStream(of: ConsoleInput.self)
    let port = PlayedPort(.remote, [.inputs(inputs)])
    let (reports, continuation) = AsyncStream.makeStream(of: OwnerConsole.Report.self)
    let console = OwnerConsole(
      OwnerConsole.Settings(session: .init(), gateway: .unix("/nowhere/owner.sock")), port: port,
      checkPIN: { _ in false }, report: { continuation.yield($0) })
    #expect(await !console.show(fix: ["early"]))
    let run = Task { await console.run() }
    for await report in reports where report == .opened { break }
    #expect(await console.show(fix: ["a fix"]))
    #expect(port.text == "a fix\r\n")
    port.capacity.withLock { $0 = 0 }
    #expect(await !console.show(fix: ["late"]))
    typing.finish()
    run.cancel()
    await run.value
  }

  @Test(.patient)
  func `an absent gateway is reported to the user`() async throws {
    try await runConsole { port, typing in
      typing.yield(.text("\r"))
      typing.yield(.text("status\r"))
      try await port.shows("nothing was done")
    }
  }

  @Test(.patient)
  func `after a wrong PIN, the console asks again when the delay is over`() async throws {
    try await runConsole(.remote) { port, typing in
      typing.yield(.text("\r"))
      typing.yield(.text("1234\r"))
      try await port.shows("PIN: ", times: 2)
      #expect(port.text.contains("The PIN is wrong."))
    }
  }

  @Test(.patient)
  func `the names of the apps are completed as of the latest command`() async throws {
    // The names at the connection, for the command, and after the command.
    let apps = Mutex(["ferry", "tug", "yawl"])
    try await withConsole { connection, _ in
      while true {
        let (words, tag, _) = try await connection.command()
        if words == ["APPS"], let app = apps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
          let json = #"{"app":"\#(app)","status":"whenInUse","shown":"whenInUse","accuracy":"full"}"#
          try await connection.send("MSG owner/apps - \(json)")
        }
        try await connection.send("+OK \(tag) count=1")
      }
    } body: { port, typing in
      typing.yield(.text("\r"))
      typing.yield(.text("apps\r"))
      try await port.shows("tug")
      typing.yield(.text("deny ya\t"))
      try await port.shows("deny yawl")
    }
  }

  @Test(.patient)
  func `a gateway that restarts is reported as lost, and then as found`() async throws {
    try await withConsole { connection, number in
      for _ in 0..<(number == 0 ? 4 : .max) {
        let (_, tag, _) = try await connection.command()
        try await connection.send("+OK \(tag)")
      }
    } body: { port, typing in
      typing.yield(.text("\r"))
      try await port.shows("answers again")
      #expect(port.text.ranges(of: "no longer answers").count == 1)
    }
  }

  /// Runs a console whose port gets the input that a test types, and that accepts no PIN. Returns the output.
  @discardableResult
  private func runConsole(
    _ reach: ConsoleLocation = .local, gateway: OneFixClient.Endpoint = .unix("/nowhere/owner.sock"),
    body: (PlayedPort, AsyncStream<ConsoleInput>.Continuation) async throws -> Void
  ) async throws -> String {
    let (inputs, typing) = AsyncStream.makeStream(of: ConsoleInput.self)
    let port = PlayedPort(reach, [.inputs(inputs)])
    let console = OwnerConsole(
      OwnerConsole.Settings(session: .init(), gateway: gateway), port: port, checkPIN: { _ in false })
    let run = Task { await console.run() }
    try await body(port, typing)
    run.cancel()
    await run.value
    return port.text
  }

  private typealias Play = @Sendable (inout GatewayConnection, _ number: Int) async throws -> Void

  /// Runs a console on a local port with a gateway that plays a script after its greeting. Returns the output.
  @discardableResult
  private func withConsole(
    gateway play: @escaping Play, body: (PlayedPort, AsyncStream<ConsoleInput>.Continuation) async throws -> Void
  ) async throws -> String {
    try await withGateway(play) { try await runConsole(gateway: $0, body: body) }
  }

  /// Runs a gateway that plays a script after its greeting.
  private func withGateway<Result>(
    _ play: @escaping Play, body: (OneFixClient.Endpoint) async throws -> Result
  ) async throws -> Result {
    let socket = TemporarySocket()
    let gateway = try await ScriptedGateway(socket.path) { connection, number in
      try await connection.send("INFO proto=1 id=x")
      try await play(&connection, number)
    }
    let result = try await body(socket.endpoint)
    await gateway.stop()
    return result
  }
}
