import PseudoTerminals
import Synchronization
import Testing

/// An app at the other end of a serial port, which sends lines and stores the received lines.
final class PortPeer: Sendable {
  let received = Observed(TextOutput())
  /// The number of lines that were read.
  private let position = Mutex(0)
  private let write: @Sendable ([UInt8]) -> Void

  /// - Parameter write: Sends bytes. Pass received bytes to `hear`.
  init(write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

  func receive(_ bytes: [UInt8]) { received.change { $0.append(bytes) } }

  func send(_ bytes: [UInt8]) { write(bytes) }

  func send(_ line: String) { write(Array("\(line)\n".utf8)) }

  /// Sends a line and returns its reply.
  @discardableResult
  func reply(to line: String, within limit: Duration? = nil) async throws -> String {
    send(line)
    return try await next(within: limit) {
      $0.hasPrefix("+OK") || $0.hasPrefix("-ERR") || $0.hasPrefix("PONG") || $0.hasPrefix("INFO")
    }
  }

  func next(_ prefix: String, within limit: Duration? = nil) async throws -> String {
    try await next(within: limit) { $0.hasPrefix(prefix) }
  }

  /// Returns the next line that satisfies the condition, and skips the lines before it.
  func next(within limit: Duration? = nil, _ matches: (String) -> Bool) async throws -> String {
    let start = position.withLock { $0 }
    let found = try await received.first("a line", within: limit) { received -> (Int, String)? in
      received.lines[start...].firstIndex(where: matches).map { ($0, received.lines[$0]) }
    }
    position.withLock { $0 = found.0 + 1 }
    return found.1
  }
}

/// The checksum of lines, computed without the tables of the tested program.
enum CRC16 {
  static func of(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0xFFFF) { crc, byte in
      (0..<8).reduce(crc ^ UInt16(byte) << 8) { crc, _ in crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
    }
  }

  static func checked(_ line: String) -> String {
    let digits = String(of(line.utf8), radix: 16, uppercase: true)
    return line + "*" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Returns the line without its checksum. Nil if the checksum is missing or wrong.
  static func verified(_ line: String) -> String? {
    guard line.utf8.count >= 5 else { return nil }
    let content = String(decoding: line.utf8.dropLast(5), as: UTF8.self)
    return checked(content) == line ? content : nil
  }
}

/// A pseudo-terminal with an app at its master.
struct PortBench {
  let peer: PortPeer
  let end: PortEnd
  /// The path that the daemon opens.
  let path: String

  /// - Parameters:
  ///   - path: The path of an earlier terminal that this one replaces. Nil for a new path.
  ///   - receive: Receives the bytes of the daemon in place of a peer.
  init(at path: String? = nil, receive: (@Sendable ([UInt8]) -> Void)? = nil) throws {
    let terminal = try PseudoTerminal(at: path)
    self.path = terminal.path
    let end = PortEnd(terminal)
    let peer = PortPeer { end.send($0) }
    end.read(receive ?? { [weak peer] in peer?.receive($0) })
    (self.peer, self.end) = (peer, end)
  }

  func configuration(baud: Int = 115_200, app: String = "peer") -> String {
    "[[serial]]\nport = \"\(path)\"\nbaud = \(baud)\napp = \"\(app)\"\n"
  }
}
