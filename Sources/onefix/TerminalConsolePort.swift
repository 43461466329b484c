import Glibc
import Hardware
import Synchronization

/// The terminal in which this program runs, as a console: keys come at once and unseen.
///
/// Its end gives the terminal back as it was.
final class TerminalConsolePort: ConsolePort {
  private let descriptor: Int32
  private let saved: termios
  private let isRestored = Atomic<Bool>(false)

  /// Nil where the standard input is no terminal.
  init?() {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    // Opened anew, so that what is set here is not set for others who have it, too.
    let descriptor = unsafe open("/proc/self/fd/0", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var settings = termios()
    // The pointers are good for the calls.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      close(descriptor)
      return nil
    }
    saved = settings
    self.descriptor = descriptor
    unsafe cfmakeraw(&settings)
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  deinit {
    restore()
    close(descriptor)
  }

  /// Gives the terminal back, once.
  func restore() {
    guard isRestored.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
    var settings = saved
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  var name: String { "the terminal" }

  /// Columns; 80 where it does not say.
  var columns: Int {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // It has gone, as the next reading will tell.
      guard count > 0 else { return true }
      rest = rest.dropFirst(count)
    }
    return true
  }

  func discardUnsent() {}

  func run(
    opened: @Sendable (ConsoleReach) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws {
    let (inputs, continuation) = AsyncStream.makeStream(of: ConsoleInput.self)
    TerminalReader(descriptor: dup(descriptor)).start { input in
      guard let input else { return continuation.finish() }
      continuation.yield(input)
    }
    await opened(.local)
    for await input in inputs { await receive(input) }
    if !Task.isCancelled { await receive(.hangUp) }
  }
}

/// A thread that reads a terminal until that ends, or a signal comes.
private struct TerminalReader: Sendable {
  /// Closed by the thread.
  let descriptor: Int32

  /// - Parameter heard: what came; nil at the end.
  func start(_ heard: @escaping @Sendable (ConsoleInput?) -> Void) {
    let work = unsafe Unmanaged.passRetained(Work(descriptor: descriptor, heard: heard))
    var thread = pthread_t()
    // The work is the thread's from here on.
    let result = unsafe pthread_create(
      &thread, nil,
      { pointer in
        if let pointer = unsafe pointer { unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, unsafe work.toOpaque())
    guard result == 0 else {
      unsafe work.release()
      return heard(nil)
    }
    pthread_detach(thread)
  }

  private final class Work: Sendable {
    let descriptor: Int32
    let heard: @Sendable (ConsoleInput?) -> Void

    init(descriptor: Int32, heard: @escaping @Sendable (ConsoleInput?) -> Void) {
      self.descriptor = descriptor
      self.heard = heard
    }

    func run() {
      var bytes = [UInt8](repeating: 0, count: 1024)
      while true {
        var ends = [
          pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let ready = unsafe poll(&ends, nfds_t(ends.count), -1)
        if ready < 0, errno != EINTR { break }
        if Interruption.signal != nil { break }
        guard ready > 0, ends[0].revents != 0 else { continue }
        // Reads into the array's own storage, no more than it has.
        let count = unsafe read(descriptor, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count > 0 else { break }
        heard(.bytes(Array(bytes[..<count])))
      }
      close(descriptor)
      heard(nil)
    }
  }
}
