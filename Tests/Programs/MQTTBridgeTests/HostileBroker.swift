import NIOCore
import NIOPosix
import Synchronization

/// A broker that accepts every client, with MQTT 3.1.1 unless a test wants MQTT 5, and sends the bytes of a test.
final class HostileBroker: Sendable {
  private let listener: any Channel
  private let taken: Taken
  /// All bytes of each client, at the end of its connection.
  let conversations: AsyncStream<[UInt8]>

  /// - Parameter acceptance: The packet CONNACK. (MQTT 3.1.1 §3.2, MQTT 5.0 §3.2)
  /// - Parameter isSilent: Whether the broker accepts no client, and sends nothing.
  /// - Parameter piece: Returns the bytes to send on each connection after its acceptance, by number; nil at the end.
  init(
    acceptance: [UInt8] = [0x20, 2, 0, 0], isSilent: Bool = false,
    _ piece: @escaping @Sendable (Int) -> [UInt8]? = { _ in nil }
  ) async throws {
    let taken = Taken()
    self.taken = taken
    let (conversations, conversation) = AsyncStream.makeStream(of: [UInt8].self)
    self.conversations = conversations
    listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if !isSilent {
            try channel.pipeline.syncOperations.addHandler(Sender(acceptance, piece, taken, conversation))
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var port: Int { listener.localAddress?.port ?? 0 }

  /// The number of bytes that the kernel has accepted from all connections.
  var byteCount: Int { taken.count.load(ordering: .relaxed) }

  func stop() async throws { try await listener.close().get() }

  final class Taken: Sendable {
    let count = Atomic<Int>(0)
  }
}

/// Sends each piece after the kernel has accepted the previous piece.
private final class Sender: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let acceptance: [UInt8]
  private let piece: @Sendable (Int) -> [UInt8]?
  private let taken: HostileBroker.Taken
  private let conversation: AsyncStream<[UInt8]>.Continuation
  private var received: [UInt8] = []
  private var number: Int?

  init(
    _ acceptance: [UInt8], _ piece: @escaping @Sendable (Int) -> [UInt8]?, _ taken: HostileBroker.Taken,
    _ conversation: AsyncStream<[UInt8]>.Continuation
  ) {
    self.acceptance = acceptance
    self.piece = piece
    self.taken = taken
    self.conversation = conversation
  }

  func channelInactive(context: ChannelHandlerContext) { conversation.yield(received) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += unwrapInboundIn(data).readableBytesView
    guard number == nil else { return }
    number = 0
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: acceptance)), promise: nil)
    sendNext(context)
  }

  private func sendNext(_ context: ChannelHandlerContext) {
    guard let number, let bytes = piece(number) else { return }
    self.number = number + 1
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenSuccess {
      self.taken.count.add(bytes.count, ordering: .relaxed)
      self.sendNext(context)
    }
  }
}

/// Packets of MQTT 3.1.1. (§3.3, §3.9)
enum Packet {
  static func publish(_ topic: String, _ payload: [UInt8], qos: UInt8 = 0, number: UInt16 = 1) -> [UInt8] {
    let mark = qos == 0 ? [] : [UInt8(number >> 8), UInt8(number & 0xFF)]
    let body = [UInt8(topic.utf8.count >> 8), UInt8(topic.utf8.count & 0xFF)] + Array(topic.utf8) + mark + payload
    return [0x30 | qos << 1] + length(body.count) + body
  }

  static func refusal(of number: UInt16) -> [UInt8] { [0x90, 3, UInt8(number >> 8), UInt8(number & 0xFF), 0x80] }

  static func length(_ count: Int) -> [UInt8] {
    var (rest, bytes) = (count, [UInt8]())
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }
}
