import Glibc

/// The signals that the daemon handles. All threads block these signals, and the first thread waits for the signals.
/// For this reason, the daemon needs no signal handlers and no additional thread.
struct Signals: Sendable {
  /// A stream that yields a value after SIGTERM and after SIGINT.
  let stops: AsyncStream<Void>
  /// A stream that yields a value after SIGHUP.
  let reloads: AsyncStream<Void>

  private let stop: AsyncStream<Void>.Continuation
  private let reload: AsyncStream<Void>.Continuation

  private static var set: sigset_t {
    var set = sigset_t()
    // The pointers that the C functions receive are valid during the calls.
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
    return set
  }

  /// Blocks the signals. This must happen before any thread is created, because a thread inherits the blocked signals.
  init() {
    (stops, stop) = AsyncStream.makeStream()
    (reloads, reload) = AsyncStream.makeStream()
    var set = Self.set
    // The pointer that the C function receives is valid during the call.
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for signals until the process ends.
  func wait() -> Never {
    var set = Self.set
    while true {
      var number: Int32 = 0
      // The pointers that the C function receives are valid during the call.
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      if number == SIGHUP { reload.yield() } else { stop.yield() }
    }
  }
}
