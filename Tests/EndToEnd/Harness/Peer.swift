import Glibc
import Synchronization
import Testing

/// What carries a peer's lines.
protocol Carrier: Sendable {
  var output: Watched<Said> { get }
  func write(_ bytes: [UInt8])
  /// Goes without a word.
  func die() async throws
}

extension Child: Carrier {
  func die() async throws {
    kill(SIGKILL)
    _ = try await end.first("the end of process \(pid)") { $0 }
  }
}

/// A person at `nc -U`, or at what else carries lines.
final class Peer: Sendable {
  private let carrier: any Carrier
  /// How many lines have been looked at.
  private let position = Mutex(0)

  init(_ socket: String) throws {
    carrier = try Child("nc", ["-U", socket])
  }

  init(_ carrier: any Carrier) { self.carrier = carrier }

  /// Connects, reads INFO and says hello.
  static func greeted(_ daemon: Daemon, app: String = "peer", _ more: String = "") async throws -> Peer {
    let peer = try Peer(daemon.socket)
    _ = try await peer.next("INFO")
    let reply = try await peer.say("@hello HELLO 1 app=\(app) keepalive=0\(more)")
    try #require(reply.hasPrefix("+OK @hello proto=1 session="), "\(reply)")
    return peer
  }

  static func owner(_ daemon: Daemon) async throws -> Peer {
    let peer = try Peer(daemon.ownerSocket)
    try #require(try await peer.say("@hello HELLO 1") == "+OK @hello proto=1 role=owner")
    return peer
  }

  func write(_ line: String) { carrier.write(Array("\(line)\n".utf8)) }

  func write(_ bytes: [UInt8]) { carrier.write(bytes) }

  /// Says a line and returns its reply: the next line that is no news.
  @discardableResult
  func say(_ line: String) async throws -> String {
    write(line)
    return try await next { $0.hasPrefix("+OK") || $0.hasPrefix("-ERR") || $0.hasPrefix("PONG") }
  }

  /// The next line, whatever it is.
  func next() async throws -> String { try await next { _ in true } }

  /// The next line that begins so; those before it are skipped.
  func next(_ beginning: String, within limit: Duration = .seconds(60)) async throws -> String {
    try await next(within: limit) { $0.hasPrefix(beginning) }
  }

  func next(within limit: Duration = .seconds(60), _ isMeant: (String) -> Bool) async throws -> String {
    let start = position.withLock { $0 }
    let found = try await carrier.output.first("a line", within: limit) { said in
      if let index = said.lines[start...].firstIndex(where: isMeant) { return (index, said.lines[index]) }
      if said.isOver { throw HungUp(said: said) }
      return nil
    }
    position.withLock { $0 = found.0 + 1 }
    return found.1
  }

  struct HungUp: Error { var said: Said }

  /// All that was said to it so far.
  var said: [String] { carrier.output.value.lines }

  /// The lines of one kind that were said so far.
  func said(_ beginning: String) -> [String] { said.filter { $0.hasPrefix(beginning) } }

  /// Waits until the gateway closes the connection.
  /// - Returns: the last line.
  @discardableResult
  func hungUp(within limit: Duration = .seconds(60)) async throws -> String? {
    try await carrier.output.first("the end of the connection", within: limit) { $0.isOver ? $0.lines.last ?? "" : nil }
  }

  /// Dies without a word.
  func die() async throws { try await carrier.die() }
}
