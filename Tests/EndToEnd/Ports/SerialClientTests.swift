import OneFixClient
import Repository
import Requirements
import Synchronization
import Testing

/// Two serial ports with a cable between them: the gateway has one, a program with `OneFixClient` the other.
private final class JoinedPorts: Sendable {
  let cable: Cable
  let gateway: PortBench
  let app: PortBench
  /// The lines that the program has sent.
  let received = Observed(TextOutput())
  /// The new end of the app after a replacement.
  let replaced = Mutex<PortEnd?>(nil)

  init(seed: UInt64 = 1) throws {
    let cable = Cable(seed: seed)
    self.cable = cable
    gateway = try PortBench { cable.send($0, 1) }
    app = try PortBench { [received] bytes in
      received.change { $0.append(bytes) }
      cable.send(bytes, 0)
    }
    cable.connect { [weak self] bytes, direction in
      guard let self else { return }
      let end = direction == 0 ? gateway.end : replaced.withLock { $0 } ?? app.end
      end.send(bytes)
    }
  }

  deinit { cable.cut() }

  var endpoint: OneFixClient.Endpoint { .serial(app.path, baudRate: 9600) }
}

/// `OneFixClient` at a serial port.
@Suite(.timeLimit(.minutes(10))) struct SerialClientTests {
  private static let hasty = OneFixClient.Options(
    backoff: Backoff(first: .milliseconds(20), longest: .milliseconds(200)))

  private static func with(
    _ ports: JoinedPorts, _ body: (Daemon, OneFixClient) async throws -> Void
  ) async throws {
    try await Daemon.with(configuration: ports.gateway.configuration(baud: 9600), authorizing: "peer") { daemon in
      let client = try await OneFixClient.connect(ports.endpoint, app: "peer", options: hasty)
      try await body(daemon, client)
      await client.close()
    }
  }

  /// Sends a request, presses when the gateway waits for the press, and waits for the fix.
  private static func pressed(_ daemon: Daemon, _ client: OneFixClient) async throws -> FixReport {
    let armed = Observed(false)
    let asking = Task { try await client.requestOnce(armed: { armed.change { $0 = true } }) }
    _ = try await armed.first("the arm", within: .seconds(120)) { $0 ? true : nil }
    let isOver = Observed(false)
    Task {
      _ = await asking.result
      isOver.change { $0 = true }
    }
    // A request can also end with an error.
    try await daemon.press(until: ["served", "granted"]) { isOver.value }
    return try await asking.value
  }

  @Test func `a program at the end of a port receives its fix, and each of its lines has a checksum`() async throws {
    let ports = try JoinedPorts()
    try await Self.with(ports) { daemon, client in
      #expect(ports.app.end.isRaw(speed: 9600))
      #expect(try await Self.pressed(daemon, client).accuracy == .full)
      #expect(try await daemon.log().count { $0.contains(#""transport":"serial""#) } == 1)
      _ = try await eventually("its acknowledgement") {
        try await daemon.log().last?.contains(#""outcome":"acknowledged""#) == true ? true : nil
      }
      let received = ports.received.value.lines.drop { !$0.contains("HELLO 1 ") }
      #expect(received.count > 3 && received.allSatisfy { CRC16.verified($0) != nil }, "\(received)")
      #expect(received.first?.contains(" crc*") == true)
    }
  }

  @Test(arguments: [20_261_122, 7] as [UInt64])
  func `through a bad cable lost lines are sent again, and each request is served once`(seed: UInt64) async throws {
    let ports = try JoinedPorts(seed: seed)
    try await Self.with(ports) { daemon, client in
      ports.cable.damage(oneOf: 4)
      for number in 1...2 {
        let fix = try await Self.pressed(daemon, client)
        #expect(fix.accuracy == .full)
        #expect(try await daemon.log().count { $0.contains(#""transport":"serial""#) } == number)
      }
      #expect(ports.cable.damaged.load(ordering: .relaxed) > 3)
      ports.cable.damage(oneOf: nil)
    }
  }

  @Test func `through a bad cable lost states are queried again, and updates and their end arrive`() async throws {
    let ports = try JoinedPorts(seed: 3)
    try await Self.with(ports) { daemon, client in
      ports.cable.damage(oneOf: 4)
      let states = Observed<[AuthorizationStatus]>([])
      let following = Task { for try await state in client.authorization { states.change { $0.append(state.status) } } }
      defer { following.cancel() }
      for status in ["denied", "always", "denied", "always"] {
        _ = try await Peer.owner(daemon, "SET peer status \(status)")
        _ = try await states.first("that it is \(status)", within: .seconds(120)) {
          $0.last?.rawValue == status ? true : nil
        }
      }
      var count = 0
      for try await fix in client.updates(UpdatesRequest(interval: 1000)) {
        #expect(fix.accuracy == .full)
        count += 1
        if count == 3 { break }
      }
      var end: ClientError?
      var isLocked = false
      do throws(ClientError) {
        for try await _ in client.updates(UpdatesRequest(interval: 1000)) where !isLocked {
          isLocked = (try? await daemon.hold()) == "locked"
        }
      } catch {
        end = error
      }
      // The notification of the kill switch can be lost. The later status then has the reason why updates cannot
      // start.
      if case .locked? = end {} else { Issue.record("updates ended by \(String(describing: end))") }
      ports.cable.damage(oneOf: nil)
    }
  }

  @Test(arguments: [11, 12, 13] as [UInt64])
  func `a client authenticates, reconnects and is served through a cable that is bad from the start`(seed: UInt64)
    async throws
  {
    let ports = try JoinedPorts(seed: seed)
    let configuration = "regions = true\n" + ports.gateway.configuration(baud: 9600)
    try await Daemon.with(configuration: configuration, authorizing: "peer") { daemon in
      _ = try await Peer.owner(daemon, "SET peer status always")
      ports.cable.damage(oneOf: 4)
      let client = try await eventually("an authenticated client", within: .seconds(120)) {
        try? await OneFixClient.connect(ports.endpoint, app: "peer", options: Self.hasty)
      }
      let centre = try #require(Coordinate(latitude: 47.3, longitude: 8.5))
      for id in ["home", "harbour", "school"] {
        try await client.addRegion(try Region(id: id, centre: centre, radius: 300, events: .enter, text: "There"))
      }
      try await client.removeRegion(id: "home")
      #expect(try await client.regions().map(\.id).sorted() == ["harbour", "school"])
      // The same as two BREAK conditions.
      for _ in 0..<2 {
        ports.gateway.end.send(Array("\nHELLO\n".utf8))
        let fix = try await client.requestOnce(OnceRequest(timeout: 120))
        #expect(fix.accuracy == .full)
      }
      ports.cable.damage(oneOf: nil)
      await client.close()
    }
  }

  @Test func `a port that disappears is opened again when it returns, and the request continues`() async throws {
    let first = try JoinedPorts()
    try await Daemon.with(configuration: first.gateway.configuration(baud: 9600), authorizing: "peer") { daemon in
      let client = try await OneFixClient.connect(first.endpoint, app: "peer", options: Self.hasty)
      let asking = Task { try await client.requestOnce() }
      _ = try await eventually("the arm") { try await daemon.status()["armed"] }
      first.app.end.hangUp()
      for try await state in client.connection { if case .lost = state { break } }
      // The gateway's port stays, and the program gets another adapter.
      let cable = first.cable
      let second = try PortBench(at: first.app.path) { cable.send($0, 0) }
      first.replaced.withLock { $0 = second.end }
      for try await state in client.connection { if case .connected = state { break } }
      _ = try await eventually("the arm again") { try await daemon.status()["armed"] }
      try await daemon.press(until: ["served", "granted"])
      #expect(try await asking.value.accuracy == .full)
      await client.close()
      // The port is free for the next program.
      let other = try await OneFixClient.connect(first.endpoint, app: "peer", options: Self.hasty)
      #expect(await other.greeting["maxline"] == "512")
      await other.close()
    }
  }

  @Test(.needs("apt-get install gcc", Program.isInstalled("cc")))
  func `the example in C gets a fix over a cable, with checksums`() async throws {
    let ports = try JoinedPorts()
    let folder = try Folder()
    let clients = "\(Repository.root)/Sources/Documentation/clients"
    let program = folder.path("serial-app")
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-DONEFIX_NO_POSIX", "-DONEFIX_LONGEST_LINE=512"]
    let built = try await Child("cc", flags + ["-o", program, "\(clients)/serial-app.c", "\(clients)/onefix.c"])
      .finish()
    #expect(built.end == .exit(0), "\(built.errors)")
    try await Daemon.with(configuration: ports.gateway.configuration(baud: 9600), authorizing: "peer") { daemon in
      let app = try Child(program, [ports.app.path, "peer"])
      _ = try await app.errors.first("the wait for a press", within: .seconds(60)) { $0.lines.first }
      try await daemon.press(until: ["served", "granted"])
      let end = try await app.finish()
      #expect(end.end == .exit(0) && end.output.first?.hasSuffix(" m") == true, "\(end)")
      let asked = ports.received.value.lines.filter { $0.contains("REQ once") }
      #expect(!asked.isEmpty && asked.allSatisfy { CRC16.verified($0) != nil }, "\(asked)")
    }
  }
}
