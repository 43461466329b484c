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
  @Test func `a request has at most a body of 1024 bytes, 64 fields, a target of 8192 bytes and 16384 bytes of head`()
    throws
  {
    func x(_ count: Int) -> String { String(repeating: "x", count: count) }
    for more in [0, 1] {
      let fields = (0..<64 + more).map { "X-\($0): y\r\n" }.joined()
      // The target, the names and the values count, and not the separators.
      let rest = x(16_384 + more - "/ABC".utf8.count - 2 * 6000)
      let requests: [(bytes: String, refusal: PageRefusal)] = [
        ("POST /verb HTTP/1.1\r\nContent-Length: \(1024 + more)\r\n\r\n\(x(1024 + more))", .tooLarge),
        ("GET / HTTP/1.1\r\n\(fields)\r\n", .headersTooLarge),
        ("GET /\(x(8191 + more)) HTTP/1.1\r\n\r\n", .headersTooLarge),
        ("GET / HTTP/1.1\r\nA: \(x(6000))\r\nB: \(x(6000))\r\nC: \(rest)\r\n\r\n", .headersTooLarge),
      ]
      for (bytes, refusal) in requests { #expect(try refusals(of: bytes) == [more == 0 ? nil : refusal]) }
    }
  }

  @Test(arguments: ["GET\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}"])
  func `bytes that are not an HTTP request are refused`(bytes: String) throws {
    #expect(try refusals(of: bytes) == [.badRequest])
  }

  @Test(arguments: ["GET /page.css HTTP/1.1\r\n\r\n", "GET\r\n\r\n"])
  func `a connection delivers one request, and further bytes have no effect`(further: String) throws {
    #expect(try refusals(of: "GET / HTTP/1.1\r\n\r\n" + further) == [nil])
  }

  @Test func `a request must be complete within 5 s, and then its connection stays open for the response`() throws {
    let channel = try connect()
    try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(4999))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
    _ = try channel.finish(acceptAlreadyClosed: true)
    let complete = try connect()
    try complete.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
    complete.embeddedEventLoop.advanceTime(by: .seconds(60))
    #expect(complete.isActive, "the connection stays open for the response")
    _ = try complete.finish()
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
