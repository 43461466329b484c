import Glibc

/// What the daemon is told by signals. Every thread has them blocked, and the process's first one waits for them: so there
/// is no handler, which may do next to nothing, and no thread only for them.
struct Signals: Sendable {
  /// SIGTERM and SIGINT
  let stops: AsyncStream<Void>
  /// SIGHUP
  let reloads: AsyncStream<Void>

  private let stop: AsyncStream<Void>.Continuation
  private let reload: AsyncStream<Void>.Continuation

  private static var set: sigset_t {
    var set = sigset_t()
    // The set is there for the calls.
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
    return set
  }

  /// Comes before there is another thread: each has blocked what the one had that made it.
  init() {
    (stops, stop) = AsyncStream.makeStream()
    (reloads, reload) = AsyncStream.makeStream()
    var set = Self.set
    // The set is there for the call.
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for them until the process ends.
  func wait() -> Never {
    var set = Self.set
    while true {
      var number: Int32 = 0
      // Both are there for the call.
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      if number == SIGHUP { reload.yield() } else { stop.yield() }
    }
  }
}
