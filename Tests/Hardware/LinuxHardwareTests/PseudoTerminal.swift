import CTestShims
import Glibc
import PseudoTerminals

/// A pseudo-terminal: the test simulates the receiver with the master, the port under test opens the slave.
final class PseudoTerminal: Sendable {
  let path: String
  private let master: Int32

  init() throws {
    (master, path) = try openPseudoTerminal()
  }

  /// Sends bytes. Returns the number of accepted bytes: a few kilobytes of unread bytes fill the pseudo-terminal.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Int {
    // The count is the length of the array.
    unsafe write(master, bytes, bytes.count)
  }

  @discardableResult
  func send(_ text: String) -> Int {
    send(Array(text.utf8))
  }

  /// Returns the bytes that the port has sent so far.
  func receive() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    // The count is the length of the array.
    let count = unsafe read(master, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  /// Returns whether the port has configured the line for raw bytes at a speed.
  func isRaw(speed: Int) -> Bool {
    pseudo_terminal_is_raw(master, UInt32(speed)) == 1
  }

  func hangUp() {
    close(master)
  }
}
