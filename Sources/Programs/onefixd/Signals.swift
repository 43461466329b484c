import Glibc

/// The signals SIGTERM, SIGINT and SIGHUP. All threads block these signals. The first thread waits for them with
/// sigwait(3), so no signal handler is necessary.
struct Signals: Sendable {
  /// A stream with one element after each SIGTERM or SIGINT, the signals to stop.
  let stops: AsyncStream<Void>
  /// A stream with one element after each SIGHUP, the signal to read the configuration again.
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

  /// Blocks the signals in the calling thread. Each new thread inherits the blocked signals from its creator, so this
  /// call must come before any other thread exists.
  init() {
    (stops, stop) = AsyncStream.makeStream()
    (reloads, reload) = AsyncStream.makeStream()
    var set = Self.set
    // The pointer that the C function receives is valid during the call.
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for signals without end. Each signal adds an element to its stream.
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
