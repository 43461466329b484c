import NIOCore
import NIOEmbedded
import Testing

@testable import Serving

/// A handler in front of a `ConnectionLimit` that counts the reads of the listener's socket.
private final class Reads: ChannelOutboundHandler {
  typealias OutboundIn = Never

  private(set) var count = 0

  func read(context: ChannelHandlerContext) {
    count += 1
    context.read()
  }
}

/// A listener with a limited count of connections.
private final class LimitedListener {
  let channel: EmbeddedChannel
  private let reads = Reads()
  private let rooms: NIOLoopBoundBox<Int>

  init(limit: Int) throws {
    channel = EmbeddedChannel()
    rooms = NIOLoopBoundBox(0, eventLoop: channel.eventLoop)
    try channel.pipeline.syncOperations.addHandlers([
      reads, ConnectionLimit(limit, makeRoom: { [rooms] in rooms.value += 1 }),
    ])
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
  }

  /// How often the listener asked for the end of a connection without authentication.
  var requests: Int { rooms.value }

  /// Lets a client connect, and returns its connection.
  func enter() -> EmbeddedChannel {
    let client = EmbeddedChannel(loop: channel.embeddedEventLoop)
    channel.pipeline.syncOperations.fireChannelRead(NIOAny(client as any Channel))
    return client
  }

  func leave(_ client: EmbeddedChannel) {
    client.close(promise: nil)
    channel.embeddedEventLoop.run()
  }

  func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

  /// Whether the listener accepts another client now.
  func accepts() -> Bool {
    let before = reads.count
    channel.read()
    return reads.count > before
  }

  var readCount: Int { reads.count }
}

@Test(arguments: [(0, 1), (1, 1), (2, 2)])
func `a listener accepts clients up to its limit, and at least one`(limit: Int, count: Int) throws {
  let listener = try LimitedListener(limit: limit)
  for _ in 0..<count {
    #expect(listener.accepts())
    _ = listener.enter()
  }
  #expect(!listener.accepts())
}

@Test func `a full listener asks for room at once and each second, and accepts one for each that leaves`() throws {
  let listener = try LimitedListener(limit: 2)
  let clients = [listener.enter(), listener.enter()]
  #expect(listener.requests == 0)
  #expect(!listener.accepts() && listener.requests == 1)
  listener.pass(.seconds(1) - .nanoseconds(1))
  #expect(listener.requests == 1)
  listener.pass(.nanoseconds(1))
  #expect(listener.requests == 2)
  // A further client asks at once, and adds no second clock.
  #expect(!listener.accepts() && listener.requests == 3)
  listener.pass(.seconds(1))
  #expect(listener.requests == 4)
  // The waiting client is accepted. The listener is full again, and no client waits.
  let before = listener.readCount
  listener.leave(clients[0])
  #expect(listener.readCount == before + 1)
  _ = listener.enter()
  listener.pass(.seconds(9))
  #expect(listener.requests == 4)
  listener.leave(clients[1])
  #expect(listener.readCount == before + 1)
  #expect(listener.accepts())
  _ = listener.enter()
  #expect(!listener.accepts())
}

@Test func `a closed listener asks for no room`() throws {
  let listener = try LimitedListener(limit: 1)
  _ = listener.enter()
  #expect(!listener.accepts() && listener.requests == 1)
  listener.channel.close(promise: nil)
  listener.pass(.seconds(9))
  #expect(listener.requests == 1)
}
