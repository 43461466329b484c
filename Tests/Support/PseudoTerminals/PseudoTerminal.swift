import CTestShims
import Glibc
import Synchronization

/// A pseudo-terminal: the test simulates the other end of a line with the master, the port under test opens the slave.
///
/// A port opens the slave through a symbolic link, which is removed before the master is closed. The kernel gives the
/// name of a closed slave to the next terminal, and a port that waits for the closed terminal must not open that one.
package final class PseudoTerminal: Sendable {
  /// An error of the initializer. The number is an errno.
  package struct Failure: Error { package let number: Int32 }

  /// The path of the link to the slave.
  package let path: String
  /// The descriptor of the master, which child processes do not inherit.
  package let master: Int32
  private let isPlugged = Atomic(true)
  private let isOpen = Atomic(true)

  /// - Parameter path: The path of an earlier terminal that this one replaces. Nil for a new path.
  package init(at path: String? = nil) throws {
    var name = [CChar](repeating: 0, count: 128)
    // The count is that of the buffer.
    let opened = unsafe name.withUnsafeMutableBufferPointer { buffer in
      unsafe pseudo_terminal_open(buffer.baseAddress, buffer.count)
    }
    guard opened >= 0 else { throw Failure(number: -opened) }
    var link = path ?? Self.newPath()
    // The name of the slave ends with a zero.
    while unsafe symlink(name, link) != 0 {
      guard path == nil, errno == EEXIST else {
        let failed = errno
        close(opened)
        throw Failure(number: failed)
      }
      link = Self.newPath()
    }
    self.path = link
    master = opened
  }

  deinit { hangUp() }

  /// Returns a random path without digits, because tests search the messages of a daemon for digits.
  private static func newPath() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return "/tmp/onefix-terminal-" + String((0..<12).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// Removes the path, as when an adapter is unplugged. A port that has opened the slave keeps it until the hang-up.
  package func unplug() {
    if isPlugged.exchange(false, ordering: .relaxed) { unsafe unlink(path) }
  }

  /// Removes the path and closes the master. Then each port that has opened the slave sees the hang-up.
  package func hangUp() {
    unplug()
    if isOpen.exchange(false, ordering: .relaxed) { pseudo_terminal_close(master) }
  }

  /// Sends bytes. Returns the number of accepted bytes: a few kilobytes of unread bytes fill the pseudo-terminal.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Int {
    // The count is the length of the array.
    unsafe write(master, bytes, bytes.count)
  }

  @discardableResult
  package func send(_ text: String) -> Int { send(Array(text.utf8)) }

  /// Returns the bytes that the port has sent so far.
  package func receive(atMost limit: Int = 4096) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    // The count is the length of the array.
    let count = unsafe read(master, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  /// Waits until the port has sent a count of bytes, at most for a minute, and returns the bytes. The kernel passes the
  /// bytes to the master in the background, which takes time on a busy machine.
  package func receive(atLeast count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      // The count of 1 is that of the structure.
      guard unsafe poll(&polled, 1, 60_000) > 0, case let more = receive(), !more.isEmpty else { break }
      bytes += more
    }
    return bytes
  }

  /// Returns whether the port has configured the line for raw bytes at a speed.
  package func isRaw(speed: Int) -> Bool { pseudo_terminal_is_raw(master, UInt32(speed)) == 1 }
}
