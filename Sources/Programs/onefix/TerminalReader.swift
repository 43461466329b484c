import Glibc
import OperatingSystem

/// A thread that reads keys from a terminal. The thread ends when the terminal closes, or when a signal ends the
/// program.
struct TerminalReader: Sendable {
  enum Input: Sendable {
    case bytes([UInt8])
    case signal(Int32)
    case end
  }

  /// The file descriptor of the terminal, which the thread closes at its end.
  let descriptor: Int32

  func start(_ receive: @escaping @Sendable (Input) -> Void) {
    do { try startThread { run(receive) } } catch { receive(.end) }
  }

  private func run(_ receive: @Sendable (Input) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 1024)
    while true {
      // `poll` ignores a descriptor of -1.
      var ends = [descriptor, Interruption.descriptor, TerminalSignals.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let ready = unsafe poll(&ends, nfds_t(ends.count), -1)
      if ready < 0, errno != EINTR { break }
      if Interruption.signal != nil { break }
      guard ready > 0 else { continue }
      if ends[2].revents != 0 { for signal in TerminalSignals.received() { receive(.signal(signal)) } }
      guard ends[0].revents != 0 else { continue }
      // `read` writes at most `bytes.count` bytes into the array.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { break }
      receive(.bytes(Array(bytes[..<count])))
    }
    close(descriptor)
    receive(.end)
  }
}
