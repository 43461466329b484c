import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Features

/// Returns the refusal of a request; nil for an accepted request.
private func refusal(_ request: String) throws -> PageRefusal? {
  let channel = EmbeddedChannel()
  try channel.pipeline.syncOperations.addHandlers([
    ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: RequestReader.limits)), RequestReader(),
  ])
  try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8021)).wait()
  try channel.writeInbound(ByteBuffer(string: request))
  let received = try #require(try channel.readInbound(as: ReceivedRequest.self))
  _ = try channel.finish(acceptAlreadyClosed: true)
  guard case .refused(let refusal) = received else { return nil }
  return refusal
}

@Suite struct RequestReaderTests {
  @Test(arguments: [(1024, nil), (1025, .tooLarge)] as [(Int, PageRefusal?)])
  func `the body of a request has at most 1024 bytes`(length: Int, expected: PageRefusal?) throws {
    let body = String(repeating: "x", count: length)
    #expect(try refusal("POST /verb HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n\(body)") == expected)
  }

  @Test(arguments: [(64, nil), (65, .headersTooLarge)] as [(Int, PageRefusal?)])
  func `a request has at most 64 fields`(count: Int, expected: PageRefusal?) throws {
    let fields = (0..<count).map { "X-\($0): y\r\n" }.joined()
    #expect(try refusal("GET / HTTP/1.1\r\n\(fields)\r\n") == expected)
  }
}
