import Glibc

/// A thread that reads a terminal until the terminal closes or a signal ends the program.
struct TerminalReader: Sendable {
  enum Input: Sendable {
    case bytes([UInt8])
    case signal(Int32)
    case end
  }

  /// The descriptor of the terminal. The thread closes it.
  let descriptor: Int32

  func start(_ receive: @escaping @Sendable (Input) -> Void) {
    let work = unsafe Unmanaged.passRetained(Work(descriptor: descriptor, receive: receive))
    var thread = pthread_t()
    // If the new thread starts, the thread releases the reference to `work`.
    let result = unsafe pthread_create(
      &thread, nil,
      { pointer in
        if let pointer = unsafe pointer { unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, unsafe work.toOpaque())
    guard result == 0 else {
      unsafe work.release()
      return receive(.end)
    }
    pthread_detach(thread)
  }

  private final class Work: Sendable {
    let descriptor: Int32
    let receive: @Sendable (Input) -> Void

    init(descriptor: Int32, receive: @escaping @Sendable (Input) -> Void) {
      self.descriptor = descriptor
      self.receive = receive
    }

    func run() {
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
}
