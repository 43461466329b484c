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
  @Test func `a waiting line is processed, but not after a final error or a close`() throws {
    let (processed, dismissed, closed) = (try WaitingLine(), try WaitingLine(), try WaitingLine())
    #expect(processed.handler.nextLine() == .text(ByteBuffer(string: "one")))
    dismissed.channel.pipeline.fireUserInboundEventTriggered(Dismissal())
    try dismissed.receive("two")
    try closed.channel.close().wait()
    for waiting in [processed, dismissed, closed] { #expect(waiting.handler.nextLine() == nil) }
  }
}
