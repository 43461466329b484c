import NIOCore
import NIOPosix
import Synchronization

/// A web server at the loopback address that records each request and answers with the next script.
final class ScriptedServer: Sendable {
  enum Script: Sendable {
    /// Sends a text and closes the connection.
    case answer(String)
    /// Sends a text, and then the same part until the client closes the connection.
    case endless(String, part: String)
    /// Sends a text and keeps the connection open.
    case stall(String)
  }

  let port: Int
  private let record: Record
  private let channel: any Channel

  init(_ scripts: Script...) async throws {
    let record = Record(scripts)
    self.record = record
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        record.connections.withLock { $0 += 1 }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(record))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  /// Ends the server, so that its port accepts no connection.
  func close() async throws { try await channel.close() }

  deinit {
    channel.close(promise: nil)
    record.accepted.fail(ChannelError.ioOnClosedChannel)
  }

  /// Waits until the server has accepted its first connection, and ends this connection.
  func endFirstConnection() async throws { try await record.accepted.futureResult.get().close() }

  /// The count of connections so far.
  var connections: Int { record.connections.withLock(\.self) }

  /// The complete requests so far.
  var requests: [String] { record.requests.withLock(\.self) }

  /// The bytes of endless parts that clients took.
  var sent: Int { record.sent.withLock(\.self) }

  private final class Record: Sendable {
    let scripts: Mutex<[Script]>
    let requests = Mutex<[String]>([])
    let sent = Mutex(0)
    let connections = Mutex(0)
    /// The first connection.
    let accepted = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: (any Channel).self)

    init(_ scripts: [Script]) { self.scripts = Mutex(scripts) }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let record: Record
    private var received = ""
    private var part: ByteBuffer?

    init(_ record: Record) { self.record = record }

    func channelActive(context: ChannelHandlerContext) { record.accepted.succeed(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      received += String(buffer: unwrapInboundIn(data))
      guard isComplete else { return }
      record.requests.withLock { $0.append(received) }
      received = ""
      let script = record.scripts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      let channel = context.channel
      switch script {
      case .answer(let text):
        channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
      case .stall(let text): channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
      case .endless(let text, let part):
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        Self.send(ByteBuffer(string: part), on: channel, record)
      case nil: channel.close(promise: nil)
      }
    }

    /// Whether a whole request was received, or the beginning of another protocol.
    private var isComplete: Bool {
      guard "POST".hasPrefix(received.prefix(4)) else { return true }
      guard let end = received.firstRange(of: "\r\n\r\n"), let field = received.firstRange(of: "Content-Length: "),
        let length = Int(received[field.upperBound...].prefix { $0.isNumber })
      else { return false }
      return received[end.upperBound...].utf8.count >= length
    }

    private static func send(_ part: ByteBuffer, on channel: any Channel, _ record: Record) {
      channel.writeAndFlush(part).whenSuccess {
        record.sent.withLock { $0 += part.readableBytes }
        send(part, on: channel, record)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
