import Base
import LineProtocol
import Logging
import NIOCore
import NIOEmbedded
import OperatingSystem
import Ports
import RecordingClients
import Synchronization
import Testing

@testable import Serving

/// A service that refuses a number of clients, and accepts all later clients.
final class RefusingService: LineService {
  let name = "boat-7"
  let keyring = Keyring()
  private let refusals: Mutex<Int>
  /// For each client that was accepted and has gone: whether the end was final.
  let closings = Mutex<[Bool]>([])

  init(refusals: Int) { self.refusals = Mutex(refusals) }

  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields { [:] }

  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) async -> Bool {
    let isAccepted = refusals.withLock { refusals in
      refusals -= 1
      return refusals < 0
    }
    connection.send(isAccepted ? .ok(tag: tag, [:]) : .error(LineError(.tooMany, "no"), tag: tag, [:]))
    return isAccepted
  }

  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async {
    connection.send(.ok(tag: tag, ["performed": "yes"]))
  }

  func polled(on connection: any ClientConnection) async {}

  func closed(_ connection: any ClientConnection, isFinal: Bool) async {
    closings.withLock { $0.append(isFinal) }
  }
}

/// A fact that becomes true once.
private final class Flag: Sendable {
  private let state = Mutex(false)

  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}

/// The conversation of one client, by default at a socket for apps.
private struct Bench {
  static let peer = Peer.process(uid: 1000)
  static let now = MonotonicInstant(nanoseconds: 0)

  let channel = NIOAsyncTestingChannel()
  let admission = AdmissionControl()
  let shares: ConnectionShares
  let log = RecordingLog()
  let service: RefusingService
  var conversation: Conversation

  /// - Parameter limit: The maximum count of connections of the listener.
  init(
    refusals: Int = 0, limit: Int = 64, role: ClientRole = .app, transport: Transport = .unix,
    identification: Identification? = nil
  ) async throws {
    service = RefusingService(refusals: refusals)
    shares = ConnectionShares(limit: limit)
    let pipeline = channel.pipeline
    try await channel.testingEventLoop.executeInContext {
      let noLimit = SilenceLimit(limit: nil, error: LineError(.authTimeout, "over"))
      try pipeline.syncOperations.addHandlers([
        ChecksumHandler(), BackpressureHandler(), IdleTimeoutHandler(noLimit),
      ])
    }
    try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/a"))
    let connection = Connection(
      number: 1, role: role, transport: transport, peer: Bench.peer, channel: channel)
    await connection.begin()
    admission.add(1, from: Bench.peer.origin, at: Bench.now) {}
    let app = try #require(AppID("ferry"))
    let rules = IdentityRules(apps: [IdentityRule(app: app, holder: .uid(1000))])
    conversation = Conversation(
      connection: connection,
      authentication: AuthenticationStateMachine(
        .init(
          identification: identification ?? .kernel(Reloadable(rules)), transport: transport, peer: Bench.peer,
          gateway: service.name, nonce: "00112233445566778899aabbccddeeff", binding: "", certificate: nil,
          keyring: service.keyring)),
      admission: admission, shares: shares, logger: log.logger, now: Bench.now)
  }

  /// Sends a line. Returns the reply, and whether the conversation goes on.
  mutating func send(
    _ line: String, at now: MonotonicInstant = now
  ) async throws -> (reply: String, goesOn: Bool) {
    let goesOn = await conversation.process(.text(ByteBuffer(string: line)), at: now, service)
    return (try await received(), goesOn)
  }

  /// Returns the text that the gateway has sent since the last call.
  func received() async throws -> String {
    var text = ""
    while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
    return text
  }

  /// Blocks the socket, or lets the socket accept data again.
  func setWritable(_ isWritable: Bool) async throws {
    channel.isWritable = isWritable
    let pipeline = channel.pipeline
    try await channel.testingEventLoop.executeInContext { pipeline.fireChannelWritabilityChanged() }
  }

  /// Performs an operation while the socket may be blocked. Then the socket accepts data again. Returns whether the
  /// operation waited for the socket.
  func waitsForSocket(_ operation: @escaping @Sendable () async -> Void) async throws -> Bool {
    let isOver = Flag()
    let task = Task {
      await operation()
      isOver.set()
    }
    let connection = conversation.connection
    var isWaiting = false
    while !isWaiting, !isOver.isSet {
      isWaiting = try await channel.testingEventLoop.executeInContext { connection.handler?.isAwaited == true }
      await Task.yield()
    }
    try await setWritable(true)
    await task.value
    return isWaiting
  }

  /// Returns the text that the gateway sends while time passes.
  func received(within time: TimeAmount) async throws -> String {
    await channel.testingEventLoop.advanceTime(by: time)
    return try await received()
  }
}

@Suite struct ConversationTests {
  @Test func `a client whose HELLO the gateway refuses may send another HELLO`() async throws {
    // The app may have one connection, which a refused client does not keep.
    var bench = try await Bench(refusals: 2, limit: 2)
    for _ in 0..<2 {
      let refused = try await bench.send("HELLO 1 app=ferry")
      #expect(refused.goesOn && refused.reply.hasPrefix("-ERR 431"), "\(refused)")
      #expect(!bench.conversation.isAuthenticated)
    }
    let accepted = try await bench.send("HELLO 1 app=ferry")
    #expect(accepted.goesOn && accepted.reply.hasPrefix("+OK"), "\(accepted)")
    #expect(bench.conversation.isAuthenticated)
    #expect(try await bench.send("STATUS").reply == "+OK performed=yes\n")
  }

  @Test func `a client with a refused HELLO counts as not authenticated again`() async throws {
    var bench = try await Bench(refusals: 1)
    #expect(try await bench.send("HELLO 1 app=ferry").goesOn)
    // The ninth connection without authentication closes the oldest one, which is the connection of the client.
    let closed = Mutex<[UInt64]>([])
    let later = SystemClock.monotonic + .seconds(2)
    for number in UInt64(2)...9 {
      bench.admission.add(number, from: Bench.peer.origin, at: later) { closed.withLock { $0.append(number) } }
    }
    #expect(closed.withLock { $0 }.isEmpty)
    #expect(try await bench.received().hasPrefix("-ERR"))
  }

  /// Owners are trusted.
  @Test(arguments: [(ClientRole.app, false), (.owner, true)])
  func `a refused HELLO ends the conversation of an app if eight other connections are unauthenticated`(
    role: ClientRole, goesOn: Bool
  ) async throws {
    var bench = try await Bench(refusals: 1, role: role)
    bench.admission.remove(1, from: Bench.peer.origin)
    for number in UInt64(2)...9 { bench.admission.add(number, from: Bench.peer.origin, at: Bench.now) {} }
    #expect(try await bench.send("HELLO 1 app=ferry").goesOn == goesOn)
  }

  @Test func `a client that has authenticated no longer counts as not authenticated`() async throws {
    var bench = try await Bench()
    _ = try await bench.send("HELLO 1 app=ferry")
    for number in UInt64(2)...8 { bench.admission.add(number, from: Bench.peer.origin, at: Bench.now) {} }
    #expect(bench.admission.restore(9, from: Bench.peer.origin, at: Bench.now) {})
    #expect(!bench.admission.restore(10, from: Bench.peer.origin, at: Bench.now) {})
  }

  @Test func `beyond the share of its app a client is refused with one warning, until there is room`() async throws {
    var bench = try await Bench(limit: 2)
    let app = try #require(AppID("ferry"))
    #expect(bench.shares.add(2, of: app, among: [app]) == nil)
    for _ in 0..<2 {
      let reply = try await bench.send("HELLO 1 app=ferry").reply
      #expect(reply.hasPrefix("-ERR 431 too-many :this app can have at most 1 connections"), "\(reply)")
      #expect(!bench.conversation.isAuthenticated)
    }
    #expect(bench.log.all.count { $0.hasPrefix("cannot serve another client: this app can have") } == 1)
    bench.shares.remove(2)
    #expect(try await bench.send("HELLO 1 app=ferry").reply.hasPrefix("+OK"))
  }

  @Test func `a client may send 50 commands at once, and a heartbeat is no command`() async throws {
    var bench = try await Bench()
    _ = try await bench.send("HELLO 1 app=ferry")
    for _ in 2...50 {
      for heartbeat in ["", "PONG"] { #expect(try await bench.send(heartbeat).reply.isEmpty) }
      #expect(try await bench.send("PING").reply == "PONG\n")
      #expect(bench.conversation.pause == nil)
    }
    #expect(try await bench.send("@a PING").reply.hasPrefix("-ERR 430 rate-limited @a :"))
    #expect(bench.conversation.pause == .milliseconds(1))
    // The gateway performs the withdrawal of a request at once, and reads the next line when a token is available.
    #expect(try await bench.send("CANCEL").reply == "+OK performed=yes\n")
    #expect(bench.conversation.pause == .seconds(0.05))
  }

  @Test func `a client that does not read has to read before the gateway answers its next command`() async throws {
    let bench = try await Bench()
    let connection = bench.conversation.connection
    #expect(try await !bench.waitsForSocket { await connection.drain() })
    try await bench.setWritable(false)
    connection.send(.pong(tag: nil))
    #expect(try await bench.received().isEmpty)
    #expect(try await bench.waitsForSocket { await connection.drain() })
  }

  @Test func `the reply to HELLO is the first line with a checksum, also behind unread lines`() async throws {
    let bench = try await Bench()
    let (connection, conversation, service) = (bench.conversation.connection, bench.conversation, bench.service)
    try await bench.setWritable(false)
    for _ in 1...2 { connection.send(.pong(tag: nil)) }
    let isWaiting = try await bench.waitsForSocket {
      var conversation = conversation
      _ = await conversation.process(.text(ByteBuffer(string: "HELLO 1 app=ferry crc")), at: Bench.now, service)
    }
    #expect(isWaiting)
    let lines = try await bench.received().split(separator: "\n")
    #expect(lines.prefix(2) == ["PONG", "PONG"] && lines.last?.hasPrefix("+OK*") == true, "\(lines)")
  }

  @Test func `the flush of a connection that has ended does not wait`() async throws {
    let bench = try await Bench()
    try await bench.channel.close()
    let ended = Connection(
      number: 2, role: .app, transport: .unix, peer: Bench.peer, channel: bench.channel)
    await ended.flush()
  }

  @Test func `HELP names the commands of apps, and not the commands of owners`() async throws {
    var bench = try await Bench()
    let verbs = try await bench.send("HELP").reply.split { ",=\n".contains($0) }
    #expect(verbs.contains("REQ") && !verbs.contains("LOCK"))
  }

  @Test func `an empty HELLO has a reply at a socket, and begins again at a serial port`() async throws {
    for (transport, reply) in [(Transport.unix, "+OK\n"), (.serial, "INFO\n")] {
      var bench = try await Bench(transport: transport)
      #expect(try await bench.send("hello").reply == reply)
      #expect(bench.conversation.isAuthenticated == (transport == .unix))
    }
  }

  @Test func `a silent client is asked after its keepalive, and closed after half as long again`() async throws {
    var bench = try await Bench()
    _ = try await bench.send("HELLO 1 app=ferry keepalive=1000")
    #expect(try await bench.received(within: .seconds(1000) - .nanoseconds(1)).isEmpty)
    #expect(try await bench.received(within: .nanoseconds(1)) == "PING\n")
    #expect(try await bench.received(within: .seconds(500) - .nanoseconds(1)).isEmpty)
    #expect(try await bench.received(within: .nanoseconds(1)).hasPrefix("-ERR 905 keepalive-timeout"))
  }

  @Test func `a wrong proof is in the log, and its reply has a delay of half a second`() async throws {
    var bench = try await Bench(transport: .tcp, identification: .proof())
    #expect(try await bench.send("HELLO 1 app=ferry nonce=ffeeddccbbaa99887766554433221100").goesOn)
    let now = SystemClock.monotonic
    let refused = try await bench.send("AUTH hmac=" + String(repeating: "0", count: 64), at: now)
    #expect(SystemClock.monotonic - now >= .milliseconds(500))
    #expect(!refused.goesOn && refused.reply.hasPrefix("-ERR 902 auth-failed"))
    #expect(bench.log.all.count { $0.hasPrefix("authentication failed") } == 1)
  }
}
