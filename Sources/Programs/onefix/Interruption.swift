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

  /// Ends the process with the signal that has arrived, as if the program had not handled the signal. Without a signal,
  /// the function has no effect.
  static func endProcess() {
    // The first signal has restored the default action.
    if let signal { kill(getpid(), signal) }
  }

  /// Handles the signals that end the program. A signal that the program ignores from its start, for example under
  /// `nohup`, stays ignored.
  static func watch() {
    _ = pipe.received()
    received.store(0, ordering: .relaxed)
    pipe.watch([SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }, flags: Int32(bitPattern: UInt32(SA_RESETHAND))) {
      number in
      Interruption.received.store(number, ordering: .relaxed)
      Interruption.pipe.record(number)
    }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    _ = unsafe sigaction(signal, nil, &action)
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
