import LineProtocol
import NIOCore
import NIOEmbedded
import Ports
import RecordingClients
import Testing

@testable import Serving

/// A connection with a `IdleTimeoutHandler`. A test sends the lines of its client.
private final class Watched {
  let channel = EmbeddedChannel()
  let counter = DismissalCounter()
  private let error = LineError(.keepaliveTimeout, "over")

  init() throws {
    let deadline = SilenceLimit(limit: .seconds(10), isDeadline: true, error: LineError(.authTimeout, "over"))
    try channel.pipeline.syncOperations.addHandlers([IdleTimeoutHandler(deadline), counter])
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
  }

  /// Sets the keepalive interval of HELLO, in seconds.
  func keepalive(_ seconds: Int64) throws {
    try channel.triggerUserOutboundEvent(
      SilenceLimit(
        limit: seconds == 0 ? nil : .milliseconds(seconds * 1500), question: .seconds(seconds), error: error)
    ).wait()
  }

  /// Sends a line of the client. Unless later handlers hold the next read, it follows the line, as in a real channel.
  func speak(isReadHeld: Bool = false) throws {
    try channel.writeInbound(ByteBuffer(string: "\n"))
    if !isReadHeld { channel.read() }
  }

  /// Returns the lines that the gateway sends within a number of seconds.
  func received(within seconds: Int64) throws -> [String] {
    channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
    return try channel.sentText().split(separator: "\n").map(String.init)
  }
}

@Test func `whatever is heard counts, and who answers each question stays`() throws {
  let client = try Watched()
  try client.keepalive(60)
  for _ in 0..<20 {
    #expect(try client.received(within: 59).isEmpty)
    #expect(try client.received(within: 1) == ["PING"])
    #expect(try client.received(within: 25).isEmpty)
    try client.speak()
  }
  for _ in 0..<20 {
    #expect(try client.received(within: 50).isEmpty)
    try client.speak()
  }
  #expect(client.channel.isActive)
}

@Test func `a silent client gets one question and is closed, unless the gateway reads no lines`() throws {
  let client = try Watched()
  try client.keepalive(60)
  try client.speak(isReadHeld: true)
  #expect(try client.received(within: 1000).isEmpty && client.channel.isActive)
  client.channel.read()
  #expect(try client.received(within: 59).isEmpty)
  #expect(try client.received(within: 1) == ["PING"])
  #expect(try client.received(within: 29).isEmpty && client.channel.isActive)
  #expect(try client.received(within: 1) == ["-ERR 905 keepalive-timeout :over"])
  #expect(!client.channel.isActive && client.counter.count == 1)
}

@Test func `a keepalive of 0 asks nothing and closes nobody`() throws {
  let client = try Watched()
  try client.keepalive(0)
  #expect(try client.received(within: 1_000_000).isEmpty && client.channel.isActive)
}

@Test func `a client that reads nothing is not asked, and closed as any other`() throws {
  let client = try Watched()
  try client.keepalive(60)
  client.channel.isWritable = false
  #expect(try client.received(within: 89).isEmpty)
  #expect(try client.received(within: 1).first?.hasPrefix("-ERR 905 ") == true)
  #expect(!client.channel.isActive)
}

@Test func `whoever has to say who they are is asked nothing, and talking gains no time`() throws {
  let client = try Watched()
  for _ in 0..<9 {
    #expect(try client.received(within: 1).isEmpty)
    try client.speak()
  }
  #expect(try client.received(within: 1) == ["-ERR 901 auth-timeout :over"])
  #expect(!client.channel.isActive)
}
