import Glibc

/// The signals that the daemon handles. All threads block them, and the first thread waits for them. For this reason,
/// the daemon needs no signal handlers.
struct Signals: Sendable {
  /// Yields after SIGTERM and SIGINT.
  let stops: AsyncStream<Void>
  /// Yields after SIGHUP.
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

  /// Blocks the signals. The call must come before the creation of any thread, because threads inherit the blocked
  /// signals.
  init() {
    (stops, stop) = AsyncStream.makeStream()
    (reloads, reload) = AsyncStream.makeStream()
    var set = Self.set
    // The pointer that the C function receives is valid during the call.
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the signals for ever.
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
