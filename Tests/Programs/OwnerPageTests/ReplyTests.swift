import NIOCore
import NIOEmbedded
import NIOHTTP1
import Requirements
import Synchronization
import Testing

@testable import Features

/// The socket of a browser that reads nothing: each write waits until the connection closes.
private final class FullSocket: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = Never

  /// One element for each write.
  let writes: AsyncStream<Void>
  private let begin: AsyncStream<Void>.Continuation
  private let waiting = Mutex<[EventLoopPromise<Void>]>([])

  init() { (writes, begin) = AsyncStream<Void>.makeStream() }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if let promise { waiting.withLock { $0.append(promise) } }
    begin.yield()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    for promise in waiting.withLock({ $0 }) { promise.fail(ChannelError.ioOnClosedChannel) }
  }
}

private let browser = Result { try SocketAddress(ipAddress: "127.0.0.1", port: 8021) }

@Suite struct ReplyTests {
  /// Returns the head and the further parts of the response that the body of a test sends.
  private func sent(
    _ send: (Reply) async throws -> Void
  ) async throws -> (head: HTTPResponseHead, rest: [HTTPServerResponsePart]) {
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: browser.get())
    try await send(Reply(to: channel))
    var parts: [HTTPServerResponsePart] = []
    while let part = try await channel.readOutbound(as: HTTPServerResponsePart.self) { parts.append(part) }
    _ = try await channel.finish()
    var head: HTTPResponseHead?
    if case .head(let first) = try #require(parts.first) { head = first }
    return (try #require(head), Array(parts.dropFirst()))
  }

  private func part(_ text: String) -> HTTPServerResponsePart { .body(.byteBuffer(ByteBuffer(string: text))) }

  @Test func `a response has its status, type, length and further headers, its body and an end`() async throws {
    let (head, rest) = try await sent {
      try await $0.send(409, "text/css", "äb", more: [(name: "Allow", value: "GET")])
    }
    #expect(head.status == .conflict)
    #expect(head.headers["Content-Type"] == ["text/css"] && head.headers["Content-Length"] == ["3"])
    #expect(head.headers["Allow"] == ["GET"] && head.headers["Connection"] == ["close"])
    #expect(rest == [part("äb"), .end(nil)])
  }

  @Test func `a stream has the status 200, its type and no length, its parts and an end`() async throws {
    let (head, rest) = try await sent { reply in
      try await reply.begin("application/x-ndjson")
      try await reply.write("a\n")
      try await reply.write("b\n")
      try await reply.end()
    }
    #expect(head.status == .ok)
    #expect(head.headers["Content-Type"] == ["application/x-ndjson"] && head.headers["Content-Length"].isEmpty)
    #expect(rest == [part("a\n"), part("b\n"), .end(nil)])
  }

  @Test(.patient) func `a browser that reads nothing for 30 s is disconnected`() async throws {
    let socket = FullSocket()
    let channel = await NIOAsyncTestingChannel(handler: socket)
    try await channel.connect(to: browser.get())
    let write = Task { try await Reply(to: channel).write("x") }
    _ = await socket.writes.first { _ in true }
    await channel.testingEventLoop.advanceTime(by: .milliseconds(29_999))
    #expect(channel.isActive)
    await channel.testingEventLoop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
    _ = try await channel.finish(acceptAlreadyClosed: true)
    await #expect(throws: ChannelError.self) { try await write.value }
  }

  @Test func `a response may take longer than 30 s if each write takes less`() async throws {
    let channel = NIOAsyncTestingChannel()
    try await channel.connect(to: browser.get())
    try await Reply(to: channel).write("x")
    await channel.testingEventLoop.advanceTime(by: .seconds(60))
    #expect(channel.isActive)
    _ = try await channel.finish()
  }
}
