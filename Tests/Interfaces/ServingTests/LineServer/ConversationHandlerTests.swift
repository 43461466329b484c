import Logging
import NIOCore
import NIOEmbedded
import Ports
import Testing

@testable import Serving

/// A handler of a connection that has received one protocol line. The line waits.
private final class WaitingLine {
  let channel: EmbeddedChannel
  let handler: ConversationHandler<RefusingService>

  init() throws {
    let acceptor = ConnectionAcceptor(
      .owners(path: "/a"), RefusingService(refusals: 0), ConnectionRegistry(), AdmissionControl(), limit: 1,
      .seconds(10), Logger(label: "test"))
    handler = ConversationHandler(acceptor, nil)
    channel = EmbeddedChannel(handler: handler)
    try receive("one")
  }

  func receive(_ line: String) throws { try channel.writeInbound(ReceivedLine.text(ByteBuffer(string: line))) }
}

@Suite struct ConversationHandlerTests {
  @Test func `a line that waits is processed`() throws {
    let waiting = try WaitingLine()
    #expect(waiting.handler.nextLine() == .text(ByteBuffer(string: "one")))
    #expect(waiting.handler.nextLine() == nil)
  }

  @Test func `after a final error, neither waiting nor later lines of the client are processed`() throws {
    let waiting = try WaitingLine()
    waiting.channel.pipeline.fireUserInboundEventTriggered(Dismissal())
    try waiting.receive("two")
    #expect(waiting.handler.nextLine() == nil)
  }

  @Test func `the lines of a connection that the gateway closes are not processed`() throws {
    let waiting = try WaitingLine()
    try waiting.channel.close().wait()
    #expect(waiting.handler.nextLine() == nil)
  }
}
