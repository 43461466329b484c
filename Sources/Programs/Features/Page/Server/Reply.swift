import NIOCore
import NIOHTTP1

/// The HTTP response to one request of a browser.
struct Reply: Sendable {
  /// The maximum time for one write to a browser. After this time, the server closes the connection.
  private static let timeout = TimeAmount.seconds(30)

  private let channel: any Channel

  init(to channel: any Channel) { self.channel = channel }

  func send(
    _ status: Int, _ type: String = "text/plain; charset=utf-8", _ text: String = "",
    more: [(name: String, value: String)] = []
  ) async throws {
    let body = ByteBuffer(string: text)
    var headers = Self.headers(type)
    for header in more { headers.add(name: header.name, value: header.value) }
    headers.add(name: "Content-Length", value: "\(body.readableBytes)")
    try await write(.head(Self.head(status, headers)))
    try await write(.body(.byteBuffer(body)))
    try await end()
  }

  func refuse(_ refusal: PageRefusal) async throws {
    let status = HTTPResponseStatus(statusCode: refusal.rawValue)
    let text = "\(refusal.rawValue) \(status.reasonPhrase)\n"
    try await send(refusal.rawValue, "text/plain; charset=utf-8", text, more: refusal.headers)
  }

  func begin(_ type: String) async throws { try await write(.head(Self.head(200, Self.headers(type)))) }

  /// Writes the next part of a streamed response, and returns after the write. A slow browser therefore slows the
  /// caller down.
  func write(_ text: String) async throws { try await write(.body(.byteBuffer(ByteBuffer(string: text)))) }

  func end() async throws { try await write(.end(nil)) }

  private func write(_ part: HTTPServerResponsePart) async throws {
    let channel = channel
    let limit = channel.eventLoop.scheduleTask(in: Self.timeout) { channel.close(promise: nil) }
    defer { limit.cancel() }
    try await channel.writeAndFlush(part).get()
  }

  private static func head(_ status: Int, _ headers: HTTPHeaders) -> HTTPResponseHead {
    HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
  }

  private static func headers(_ type: String) -> HTTPHeaders {
    var headers = HTTPHeaders(PageHeaders.all.map { ($0.name, $0.value) })
    headers.add(name: "Content-Type", value: type)
    return headers
  }
}
