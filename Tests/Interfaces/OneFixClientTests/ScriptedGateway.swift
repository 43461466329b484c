import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import OneFixClient
import Synchronization

/// The gateway's end of a connection.
struct GatewayConnection {
  /// The error if the client has disconnected.
  struct Gone: Error {}
  /// The error with which a script closes the connection.
  struct Dropped: Error {}

  private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private var heard: [UInt8] = []
  /// Called before each sent or received line. If the result is false, the connection closes.
  var step: @Sendable () -> Bool = { true }
  /// Whether the connection closes in the middle of a line.
  var isCutInLine = false

  init(
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) {
    self.inbound = inbound.makeAsyncIterator()
    self.outbound = outbound
  }

  func send(_ line: String) async throws {
    guard step() else {
      if isCutInLine { try await outbound.write(ByteBuffer(string: String(line.prefix(line.count / 2)))) }
      throw Dropped()
    }
    try await outbound.write(ByteBuffer(string: line + "\n"))
  }

  /// Sends bytes without a line end.
  func send(raw: String) async throws { try await outbound.write(ByteBuffer(string: raw)) }

  /// Returns the next line.
  mutating func receive() async throws -> String {
    guard step() else { throw Dropped() }
    while true {
      if let end = heard.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: heard[..<end], as: UTF8.self)
        heard.removeFirst(end + 1)
        return line
      }
      guard let more = try await inbound.next(isolation: #isolation) else { throw Gone() }
      heard += more.readableBytesView
    }
  }

  /// Returns the words and the tag of the next command, and its line. Pings are answered and left out.
  mutating func command() async throws -> (words: [String], tag: String, line: String) {
    while true {
      let line = try await receive()
      var words = line.split(separator: " ").map(String.init)
      if words.first == "PING" {
        try await send("PONG")
        continue
      }
      let tag = words.first?.hasPrefix("@") == true ? words.removeFirst() : ""
      return (words, tag, line)
    }
  }

  /// Accepts a request for one fix. Returns its tag.
  @discardableResult
  mutating func accept() async throws -> String {
    let (_, tag, _) = try await command()
    try await send("+OK \(tag) state=awaiting-press")
    return tag
  }

  /// Answers every command with OK, until the client disconnects.
  mutating func agree(_ heard: Recorder<String>? = nil) async throws {
    while true {
      let (words, tag, _) = try await command()
      heard?.record(words.joined(separator: " "))
      try await send("+OK \(tag)")
    }
  }

  /// Plays the beginning of a session, up to the subscription to presses.
  mutating func greet(session: String = "s1", id: String = "scripted") async throws {
    try await send("INFO proto=1 server=scripted id=\(id) maxline=4096")
    while true {
      let (words, tag, _) = try await command()
      switch words[0] {
      case "HELLO":
        try await send("+OK \(tag) proto=1 session=\(session) authorization=notDetermined accuracy=full")
      case "UNSUB": try await send("-ERR 405 bad-argument \(tag) :there is no subscription")
      default: return try await send("+OK \(tag)")
      }
    }
  }
}

/// A gateway that plays the script of a test. It stops when the test releases it.
final class ScriptedGateway: Sendable {
  enum Address: Sendable {
    case unix(String)
    case tcp
    case tls(NIOSSLContext)
  }

  let port: Int
  private let task: Task<Void, any Error>

  /// - Parameter play: Plays the script on a connection with the given number, from 0. An error closes the connection.
  init(
    _ address: Address,
    _ play: @escaping @Sendable (inout GatewayConnection, _ number: Int) async throws -> Void
  ) async throws {
    let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    let wrap: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = { channel in
      channel.eventLoop.makeCompletedFuture {
        if case .tls(let context) = address {
          try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
      }
    }
    let server =
      switch address {
      case .unix(let path):
        try await bootstrap.bind(
          unixDomainSocketPath: path, cleanupExistingSocketFile: true, childChannelInitializer: wrap)
      case .tcp, .tls: try await bootstrap.bind(host: "127.0.0.1", port: 0, childChannelInitializer: wrap)
      }
    port = server.channel.localAddress?.port ?? 0
    task = Task {
      try await withThrowingDiscardingTaskGroup { group in
        try await server.executeThenClose { connections in
          var number = 0
          for try await connection in connections {
            group.addTask { [number] in
              try? await connection.executeThenClose { inbound, outbound in
                var connection = GatewayConnection(inbound, outbound)
                try await play(&connection, number)
              }
            }
            number += 1
          }
        }
      }
    }
  }

  deinit { task.cancel() }

  /// Stops the gateway, and returns when its port is free.
  func stop() async {
    task.cancel()
    _ = await task.result
  }
}

/// The path of a socket, whose file is removed at the end.
final class TemporarySocket: Sendable {
  let path = "/tmp/onefix-client-\(UInt64.random(in: .min ... .max))"

  deinit { _ = unsafe unlink(path) }

  var endpoint: OneFixClient.Endpoint { .unix(path) }
}

/// Values that a script passes to its test, or a test to its script.
final class Recorder<Value: Sendable>: Sendable {
  private let state = Mutex<(values: [Value], waiting: [CheckedContinuation<Void, Never>])>(([], []))

  var values: [Value] { state.withLock { $0.values } }

  func record(_ value: Value) {
    let waiting = state.withLock { state in
      state.values.append(value)
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Waits until there are at least as many values.
  @discardableResult
  func first(_ count: Int) async -> [Value] {
    while true {
      let values = values
      if values.count >= count { return values }
      await withCheckedContinuation { waiter in
        let isLate = state.withLock { state in
          if state.values.count > values.count { return true }
          state.waiting.append(waiter)
          return false
        }
        if isLate { waiter.resume() }
      }
    }
  }
}

/// The options of a client that connects again without a delay.
let hasty = OneFixClient.Options(
  backoff: Backoff(first: .milliseconds(2), longest: .milliseconds(10)), keepalive: 0)

/// Returns a fix as JSON, as a gateway writes it.
func fixJSON(_ latitude: Double) -> String {
  #"{"time":"2026-11-21T07:31:34.200Z","lat":\#(latitude),"lon":8.541694,"hacc":2.9,"fix":"3d","accuracy":"full"}"#
}

/// Runs the body of a test with a scripted gateway and its client.
func withGateway(
  options: OneFixClient.Options = hasty,
  _ play: @escaping @Sendable (inout GatewayConnection, _ number: Int) async throws -> Void,
  _ body: (OneFixClient) async throws -> Void
) async throws {
  let socket = TemporarySocket()
  let gateway = try await ScriptedGateway(.unix(socket.path), play)
  let client = try await OneFixClient.connect(socket.endpoint, app: "app", options: options)
  try await body(client)
  await client.close()
  await gateway.stop()
}
