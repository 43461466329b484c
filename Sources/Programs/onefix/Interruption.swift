import Glibc
import Synchronization

/// The signals that end the program, for example from Ctrl-C. The first signal ends the input, and the program
/// completes its output. The second signal ends the process.
enum Interruption {
  private static let received = Atomic<Int32>(0)
  private static let pipe = SignalPipe()

  static var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// A file descriptor that is readable after a signal. A thread that waits for input must also wait for this
  /// descriptor, because the kernel may deliver the signal to another thread.
  static var descriptor: Int32 { pipe.reader }

  static func wait() {
    var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while signal == nil { _ = unsafe poll(&end, 1, -1) }
  }

  static func watch() {
    _ = pipe.received()
    received.store(0, ordering: .relaxed)
    pipe.watch([SIGINT, SIGTERM, SIGHUP], flags: Int32(bitPattern: UInt32(SA_RESETHAND))) { number in
      Interruption.received.store(number, ordering: .relaxed)
      Interruption.pipe.record(number)
    }
  }
}
