import NIOCore
import NIOEmbedded
import Testing

@testable import Features

/// Delays the close of a connection until the end of the test, as a slow network does.
private final class SlowClose: ChannelOutboundHandler {
  typealias OutboundIn = Never

  private(set) var isClosing = false

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) { isClosing = true }
}

@Test func `the 17th unauthenticated connection closes the oldest, also while earlier ones still close`() throws {
  let pool = ConnectionPool()
  var connections: [(channel: EmbeddedChannel, handler: SlowClose)] = []
  func connect() throws -> EmbeddedChannel {
    let handler = SlowClose()
    let channel = EmbeddedChannel(handler: handler)
    connections.append((channel, handler))
    pool.add(channel)
    return channel
  }
  let browser = try connect()
  #expect(pool.authenticate(browser))
  for _ in 0..<200 { _ = try connect() }
  #expect(connections.count { $0.handler.isClosing } == 200 - 16)
  #expect(!connections[0].handler.isClosing, "an authenticated connection stays")
  #expect(connections.suffix(16).allSatisfy { !$0.handler.isClosing })
  #expect(!pool.authenticate(connections[1].channel), "a connection that the pool closes authenticates nobody")
}

@Test func `16 connections may be authenticated, and one more only after another has ended`() throws {
  let pool = ConnectionPool()
  let connections = (0..<17).map { _ in EmbeddedChannel() }
  for connection in connections.dropLast() {
    pool.add(connection)
    #expect(pool.authenticate(connection))
  }
  pool.add(connections[16])
  #expect(!pool.authenticate(connections[16]))
  connections[3].close(promise: nil)
  connections[3].embeddedEventLoop.run()
  #expect(pool.authenticate(connections[16]))
}
