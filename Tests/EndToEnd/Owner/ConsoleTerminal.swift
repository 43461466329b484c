import Foundation
import PseudoTerminals
import Synchronization
import Testing

/// A user at a terminal: the test holds the master of a pseudo-terminal, the console has the slave.
final class ConsoleTerminal: Sendable {
  let path: String
  /// All text that was shown.
  let shown = Observed("")
  private let end: PortEnd
  private let read = Mutex(0)

  init() throws {
    let terminal = try PseudoTerminal()
    end = PortEnd(terminal)
    self.path = terminal.path
    let received = Mutex<[UInt8]>([])
    end.read { [shown] bytes in
      // A read can end inside a character, so the text is decoded from all bytes each time.
      let all = received.withLock { all in
        all += bytes
        return all
      }
      shown.change { $0 = String(decoding: all, as: UTF8.self) }
    }
  }

  deinit { end.hangUp() }

  /// Whether the console has configured the line.
  func isRaw(speed: Int) -> Bool { end.isRaw(speed: speed) }

  /// Waits until the console has configured the terminal.
  func waitUntilReady(speed: Int = 115_200) async throws {
    _ = try await eventually("an open console") { isRaw(speed: speed) ? true : nil }
  }

  func type(_ text: String) { type(Array(text.utf8)) }

  func type(_ bytes: [UInt8]) { end.send(bytes) }

  /// Waits until a text is shown after the text of the previous call.
  /// - Returns: The text between the two.
  @discardableResult
  func waitFor(_ text: String, within limit: Duration? = nil) async throws -> String {
    let start = read.withLock { $0 }
    let (before, end) = try await shown.first("'\(text)'", within: limit) { shown -> (String, Int)? in
      let rest = shown.unicodeScalars.dropFirst(start)
      guard let range = String(rest).range(of: text) else { return nil }
      let whole = String(rest)
      let skipped = whole.unicodeScalars.distance(from: whole.startIndex, to: range.upperBound)
      return (String(whole[..<range.lowerBound]), start + skipped)
    }
    read.withLock { $0 = end }
    return before
  }

  /// Types a command and returns the output up to the next prompt.
  @discardableResult
  func reply(to line: String) async throws -> String {
    type("\(line)\r")
    try await waitFor("\(line)\r\n")
    return try await waitFor("onefix> ")
  }

  /// Begins a session on a port of the daemon.
  func enter() async throws {
    type("\r")
    try await waitFor("onefix> ")
  }
}

/// Changes settings of a terminal, or returns all of them.
@discardableResult
func stty(_ path: String, _ settings: String...) async throws -> [String] {
  let done = try await Child("stty", ["-F", path] + (settings.isEmpty ? ["-a"] : settings)).finish()
  try #require(done.end == .exit(0), "\(done.errors)")
  return done.output
}
