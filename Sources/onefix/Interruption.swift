import Glibc
import Synchronization

/// Ctrl-C and its like end the input, so that what is being written is completed. The second time they end the process.
enum Interruption {
  private static let received = Atomic<Int32>(0)
  private static let reader = Atomic<Int32>(-1)
  private static let writer = Atomic<Int32>(-1)

  /// The signal that came; nil as long as none has.
  static var signal: Int32? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// It can be read from once a signal has come: the signal itself need not reach the thread that waits. -1, which `poll`
  /// passes over, as long as nothing is watched.
  static var descriptor: Int32 { reader.load(ordering: .relaxed) }

  static func watch() {
    var ends: [Int32] = [-1, -1]
    // It is never full: each signal is watched for once.
    guard unsafe pipe(&ends) == 0 else { return }
    reader.store(ends[0], ordering: .relaxed)
    writer.store(ends[1], ordering: .relaxed)
    received.store(0, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { number in
        let before = errno
        Interruption.received.store(number, ordering: .relaxed)
        // The string is one byte and its end.
        _ = unsafe write(Interruption.writer.load(ordering: .relaxed), "!", 1)
        errno = before
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
      _ = unsafe sigaction(number, &action, nil)
    }
  }
}
