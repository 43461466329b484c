import Glibc
import Synchronization

/// Ctrl-C and its like end the input, so that what is being written is completed. The second time they end the process.
enum Interruption {
  private static let received = Atomic<Int32>(0)
  private static let pipe = SignalPipe()

  /// The signal that came; nil as long as none has.
  static var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// It can be read from once a signal has come: the signal itself need not reach the thread that waits.
  static var descriptor: Int32 { pipe.reader }

  static func watch() {
    _ = pipe.take()
    received.store(0, ordering: .relaxed)
    pipe.watch([SIGINT, SIGTERM, SIGHUP], flags: Int32(bitPattern: UInt32(SA_RESETHAND))) { number in
      Interruption.received.store(number, ordering: .relaxed)
      Interruption.pipe.note(number)
    }
  }
}
