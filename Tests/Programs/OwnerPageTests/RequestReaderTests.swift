import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Features

/// A connection to the page, whose time passes only when a test lets it pass.
private func connect() throws -> EmbeddedChannel {
  let channel = EmbeddedChannel()
  try channel.pipeline.syncOperations.addHandlers([
    ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: RequestReader.limits)), RequestReader(),
  ])
  try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8021)).wait()
  return channel
}

/// Sends bytes over a connection. Returns the refusal of each request; nil for an accepted request.
private func refusals(of bytes: String) throws -> [PageRefusal?] {
  let channel = try connect()
  try channel.writeInbound(ByteBuffer(string: bytes))
  var refusals: [PageRefusal?] = []
  while let received = try channel.readInbound(as: ReceivedRequest.self) {
    if case .refused(let refusal) = received { refusals.append(refusal) } else { refusals.append(nil) }
  }
  _ = try channel.finish(acceptAlreadyClosed: true)
  return refusals
}

@Suite struct RequestReaderTests {
  @Test(arguments: [(1024, nil), (1025, .tooLarge)] as [(Int, PageRefusal?)])
  func `the body of a request has at most 1024 bytes`(length: Int, expected: PageRefusal?) throws {
    let body = String(repeating: "x", count: length)
    #expect(try refusals(of: "POST /verb HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n\(body)") == [expected])
  }

  @Test(arguments: [(64, nil), (65, .headersTooLarge)] as [(Int, PageRefusal?)])
  func `a request has at most 64 fields`(count: Int, expected: PageRefusal?) throws {
    let fields = (0..<count).map { "X-\($0): y\r\n" }.joined()
    #expect(try refusals(of: "GET / HTTP/1.1\r\n\(fields)\r\n") == [expected])
  }

  @Test(arguments: [(8192, nil), (8193, .headersTooLarge)] as [(Int, PageRefusal?)])
  func `the target of a request has at most 8192 bytes`(length: Int, expected: PageRefusal?) throws {
    let target = "/" + String(repeating: "x", count: length - 1)
    #expect(try refusals(of: "GET \(target) HTTP/1.1\r\n\r\n") == [expected])
  }

  @Test(arguments: [(16_384, nil), (16_385, .headersTooLarge)] as [(Int, PageRefusal?)])
  func `the target, the names and the values of a request have at most 16384 bytes`(
    length: Int, expected: PageRefusal?
  ) throws {
    let long = String(repeating: "x", count: 6000)
    let rest = String(repeating: "x", count: length - "/ABC".utf8.count - 2 * 6000)
    #expect(try refusals(of: "GET / HTTP/1.1\r\nA: \(long)\r\nB: \(long)\r\nC: \(rest)\r\n\r\n") == [expected])
  }

  @Test(arguments: ["GET\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}"])
  func `bytes that are not an HTTP request are refused`(bytes: String) throws {
    #expect(try refusals(of: bytes) == [.badRequest])
  }

  @Test(arguments: ["GET /page.css HTTP/1.1\r\n\r\n", "GET\r\n\r\n"])
  func `a connection delivers one request, and further bytes have no effect`(further: String) throws {
    #expect(try refusals(of: "GET / HTTP/1.1\r\n\r\n" + further) == [nil])
  }

  @Test func `a request must be complete within 5 s`() throws {
    let channel = try connect()
    try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(4999))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test func `a connection with a complete request stays open for the response`() throws {
    let channel = try connect()
    try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
    channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(channel.isActive)
    _ = try channel.finish()
  }

  @Test func `an error that does not concern HTTP closes the connection`() throws {
    let channel = try connect()
    channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
    #expect(!channel.isActive)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test func `a connection that closes before its request leaves no timer`() async throws {
    let channel = NIOAsyncTestingChannel()
    try await channel.testingEventLoop.executeInContext {
      try channel.pipeline.syncOperations.addHandler(RequestReader())
    }
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8021))
    try await channel.close()
    // A remaining timer would set the clock forward here.
    _ = try await channel.finish(acceptAlreadyClosed: true)
    #expect(channel.testingEventLoop.now == .uptimeNanoseconds(0))
  }
}
