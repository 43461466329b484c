import Foundation
import Testing

/// A response over HTTP.
struct Answer {
  struct NoAnswer: Error { var received: TextOutput }

  var status: Int
  /// The headers, by name in lower case.
  var headers: [String: String]
  var body: String

  init(_ received: TextOutput) throws {
    let text = (received.lines + [String(decoding: received.rest, as: UTF8.self)]).joined(separator: "\n")
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw NoAnswer(received: received)
    }
    self.status = status
    headers = lines.dropFirst().reduce(into: [:]) { headers, line in
      let pair = line.split(separator: ":", maxSplits: 1)
      headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces)
    }
    body = parts.count == 2 ? String(parts[1]) : ""
  }
}

/// An HTTP client of the page that can break the rules of HTTP.
struct PageClient {
  let port: String

  var host: String { "127.0.0.1:\(port)" }
  var origin: String { "http://\(host)" }

  init(_ daemon: Daemon) throws { port = try daemon.address("page").port }

  /// Sends bytes and returns the response when the gateway has closed the connection.
  func exchange(_ bytes: [UInt8]) async throws -> TextOutput {
    let connection = try TCPConnection("127.0.0.1", port)
    connection.write(bytes)
    return try await connection.output.first("the end of the answer") { $0.isOver ? $0 : nil }
  }

  /// Returns a request like those of the page, with some headers replaced. A nil value removes a header.
  func request(
    _ method: String, _ target: String, _ headers: [String: String?] = [:], body: String = ""
  ) -> [UInt8] {
    let usual: [String: String?] = [
      "Host": host, "Origin": method == "POST" ? origin : nil,
      "Content-Length": method == "POST" ? "\(body.utf8.count)" : nil,
    ]
    let all = usual.merging(headers) { $1 }.compactMapValues { $0 }
    let lines = ["\(method) \(target) HTTP/1.1"] + all.map { "\($0.key): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }

  func ask(
    _ method: String, _ target: String, _ headers: [String: String?] = [:], body: String = ""
  ) async throws -> Answer {
    try Answer(try await exchange(request(method, target, headers, body: body)))
  }

  /// Sends a request of the page in a session.
  func ask(_ target: String, as token: String, body: String = "", language: String = "en") async throws -> Answer {
    let headers = ["Authorization": "Bearer \(token)", "Accept-Language": language]
    return try await ask("POST", target, headers, body: body)
  }

  /// Opens a session as the script of the page does.
  func session(_ daemon: Daemon) async throws -> String {
    let answer = try await ask("/open", as: try await daemon.pageLink().token)
    try #require(answer.status == 200, "\(answer)")
    return answer.body
  }

  /// Opens an event stream as the page does.
  /// - Parameter page: The number of log entries, and the number of the entry after them.
  func listen(as token: String, page: String = "20") throws -> TCPConnection {
    let connection = try TCPConnection("127.0.0.1", port)
    let headers = ["Authorization": "Bearer \(token)", "Accept-Language": "en"]
    connection.write(request("POST", "/events", headers, body: page))
    return connection
  }
}

extension Daemon {
  /// Runs the body of a test with a daemon that has a page.
  static func withPage(_ configuration: String = "", _ body: (Daemon, PageClient) async throws -> Void) async throws {
    try await with(configuration: configuration + "\n[page]\nport = 0\n") { daemon in
      try await body(daemon, try PageClient(daemon))
    }
  }

  /// Returns the link that `onefix page` prints.
  func pageLink() async throws -> (address: String, token: String) {
    let page = try await onefix("page", "--language", "en")
    try #require(page.end == .exit(0) && page.output.count == 2, "\(page)")
    #expect(page.output[1] == "The link opens the page once, within 2 minutes, in a browser on this machine.")
    let address = page.output[0]
    let parts = address.split(separator: "#")
    try #require(parts.count == 2 && parts[1].count == 43, "\(address)")
    return (address, String(parts[1]))
  }
}
