import Glibc
import Synchronization

/// Signals that interrupt the program, such as Ctrl-C. The first one ends the input, so that the output is completed.
/// The second one ends the process.
enum Interruption {
  private static let received = Atomic<Int32>(0)
  private static let pipe = SignalPipe()

  /// The received signal. Nil before the first one.
  static var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// A descriptor that becomes readable after a signal. Another thread than the waiting one can receive the signal
  /// itself.
  static var descriptor: Int32 { pipe.reader }

  static func watch() {
    _ = pipe.received()
    received.store(0, ordering: .relaxed)
    pipe.watch([SIGINT, SIGTERM, SIGHUP], flags: Int32(bitPattern: UInt32(SA_RESETHAND))) { number in
      Interruption.received.store(number, ordering: .relaxed)
      Interruption.pipe.record(number)
    }
  }
}
