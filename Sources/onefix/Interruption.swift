import Glibc
import Synchronization

/// Ctrl-C and its like end the input, so that what is being written is completed. The second time they end the process.
enum Interruption {
  private static let flag = Atomic(false)

  static var isRequested: Bool { flag.load(ordering: .relaxed) }

  static func watch() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // Without SA_RESTART: a read that waits returns.
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { _ in Interruption.flag.store(true, ordering: .relaxed) }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      _ = unsafe sigaction(number, &action, nil)
    }
  }
}
