import CTestShims
import Glibc
import PseudoTerminals

/// A pseudo-terminal: the test is the receiver and holds the master, the port under test opens the slave.
final class PseudoTerminal: Sendable {
  let path: String
  private let master: Int32

  init() throws {
    (master, path) = try openPseudoTerminal()
  }

  /// Returns how many bytes were taken: what nobody reads fills the pseudo-terminal after a few kilobytes.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Int {
    // The count is the array's own.
    unsafe write(master, bytes, bytes.count)
  }

  @discardableResult
  func send(_ text: String) -> Int {
    send(Array(text.utf8))
  }

  /// What the port has sent by now; none where nothing came.
  func receive() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // The count is the array's own.
    let count = unsafe read(master, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  /// Whether the port has set the line up for raw bytes at a speed.
  func isRaw(speed: Int) -> Bool {
    pseudo_terminal_is_raw(master, UInt32(speed)) == 1
  }

  func hangUp() {
    close(master)
  }
}
