import Base
import LineProtocol
import Logging
import NIOCore
import NIOEmbedded
import OperatingSystem
import Ports
import Synchronization
import Testing

@testable import Serving

/// A service that refuses a number of clients, and accepts all later clients.
private final class RefusingService: LineService {
  let name = "boat-7"
  let keyring = Keyring()
  private let refusals: Mutex<Int>

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
  func closed(_ connection: any ClientConnection, isFinal: Bool) async {}
}

/// The conversation of one client at a socket for apps.
private struct Bench {
  static let peer = Peer.process(uid: 1000)
  static let now = MonotonicInstant(nanoseconds: 0)

  let channel = NIOAsyncTestingChannel()
  let admission = AdmissionControl()
  let service: RefusingService
  var conversation: Conversation

  init(refusals: Int) async throws {
    service = RefusingService(refusals: refusals)
    let pipeline = channel.pipeline
    try await channel.testingEventLoop.executeInContext {
      try pipeline.syncOperations.addHandler(BackpressureHandler())
    }
    try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/a"))
    let connection = Connection(
      number: 1, role: .app, transport: .unix, peer: Bench.peer, channel: channel)
    await connection.begin()
    admission.add(1, from: Bench.peer.origin, at: Bench.now) {}
    let app = try #require(AppID("ferry"))
    let rules = IdentityRules(apps: [IdentityRule(app: app, holder: .uid(1000))])
    conversation = Conversation(
      connection: connection,
      authentication: AuthenticationStateMachine(
        .init(
          identification: .kernel(Reloadable(rules)), transport: .unix, peer: Bench.peer, gateway: service.name,
          nonce: "00112233445566778899aabbccddeeff", binding: "", certificate: nil, keyring: service.keyring)),
      admission: admission, shares: ConnectionShares(limit: 64), logger: Logger(label: "bench"), now: Bench.now)
  }

  /// Sends a line. Returns the reply, and whether the conversation goes on.
  mutating func send(_ line: String) async throws -> (reply: String, goesOn: Bool) {
    let goesOn = await conversation.process(.text(ByteBuffer(string: line)), at: Bench.now, service)
    var reply = ""
    while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { reply += String(buffer: bytes) }
    return (reply, goesOn)
  }
}

@Suite struct ConversationTests {
  @Test func `a client whose HELLO the gateway refuses may send another HELLO`() async throws {
    var bench = try await Bench(refusals: 2)
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
    #expect(String(buffer: try #require(try await bench.channel.readOutbound(as: ByteBuffer.self))).hasPrefix("-ERR"))
  }

  @Test func `a refused HELLO ends the conversation if the user has eight other connections without authentication`()
    async throws
  {
    var bench = try await Bench(refusals: 1)
    bench.admission.remove(1, from: Bench.peer.origin)
    for number in UInt64(2)...9 { bench.admission.add(number, from: Bench.peer.origin, at: Bench.now) {} }
    #expect(try await !bench.send("HELLO 1 app=ferry").goesOn)
  }
}
