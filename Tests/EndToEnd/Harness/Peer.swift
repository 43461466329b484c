import Glibc
import Synchronization
import Testing

/// The transport of the lines of a peer.
protocol Carrier: Sendable {
  var output: Observed<TextOutput> { get }
  func write(_ bytes: [UInt8])
  /// Ends without a farewell.
  func disconnect() async throws
}

extension Child: Carrier {
  func disconnect() async throws {
    kill(SIGKILL)
    _ = try await end.first("the end of process \(pid)") { $0 }
  }
}

/// A client that sends lines by hand, with `nc -U` or over another transport.
final class Peer: Sendable {
  private let carrier: any Carrier
  /// The number of lines that were read.
  private let position = Mutex(0)

  init(_ socket: String) throws {
    carrier = try Child("nc", ["-U", socket])
  }

  init(_ carrier: any Carrier) { self.carrier = carrier }

  /// Connects, reads INFO and sends HELLO.
  static func connected(_ daemon: Daemon, app: String = "peer", _ more: String = "") async throws -> Peer {
    let peer = try Peer(daemon.socket)
    _ = try await peer.next("INFO")
    let reply = try await peer.reply(to: "@hello HELLO 1 app=\(app) keepalive=0\(more)")
    try #require(reply.hasPrefix("+OK @hello proto=1 session="), "\(reply)")
    return peer
  }

  /// Connects an owner, whose commands the gateway must accept.
  static func owner(_ daemon: Daemon, _ commands: String...) async throws -> Peer {
    let peer = try Peer(daemon.ownerSocket)
    try #require(try await peer.reply(to: "@hello HELLO 1") == "+OK @hello proto=1 role=owner")
    for command in commands { try #require(try await peer.reply(to: command) == "+OK") }
    return peer
  }

  func write(_ line: String) { carrier.write(Array("\(line)\n".utf8)) }

  func write(_ bytes: [UInt8]) { carrier.write(bytes) }

  /// Sends a line and returns its reply: the next line that is not a notification.
  @discardableResult
  func reply(to line: String) async throws -> String {
    write(line)
    return try await next { $0.hasPrefix("+OK") || $0.hasPrefix("-ERR") || $0.hasPrefix("PONG") }
  }

  /// Returns the next line of any kind.
  func next() async throws -> String { try await next { _ in true } }

  /// Returns the next line with the prefix and skips the lines before it.
  func next(_ prefix: String, within limit: Duration? = nil) async throws -> String {
    try await next(within: limit) { $0.hasPrefix(prefix) }
  }

  func next(within limit: Duration? = nil, _ matches: (String) -> Bool) async throws -> String {
    let start = position.withLock { $0 }
    let found = try await carrier.output.first("a line", within: limit) { received in
      if let index = received.lines[start...].firstIndex(where: matches) { return (index, received.lines[index]) }
      if received.isOver { throw HungUp(received: received) }
      return nil
    }
    position.withLock { $0 = found.0 + 1 }
    return found.1
  }

  struct HungUp: Error { var received: TextOutput }

  /// All lines that the gateway has sent so far.
  var received: [String] { carrier.output.value.lines }

  /// Returns the lines with the prefix that the gateway has sent so far.
  func received(_ prefix: String) -> [String] { received.filter { $0.hasPrefix(prefix) } }

  /// Waits until the gateway closes the connection.
  /// - Returns: The last line.
  @discardableResult
  func hungUp(within limit: Duration? = nil) async throws -> String? {
    try await carrier.output.first("the end of the connection", within: limit) { $0.isOver ? $0.lines.last ?? "" : nil }
  }

  /// Ends the connection without BYE.
  func disconnect() async throws { try await carrier.disconnect() }
}

/// Returns the number of the question in a message on the topic `owner/prompt`.
func questionNumber(_ message: String) throws -> Substring {
  try #require(message.firstMatch(of: /"prompt":(\d+)/)?.1)
}
