import Glibc
import NIOCore
import NIOPosix
import OperatingSystem

/// The controlling terminal of this process. The terminal is opened separately, so that its settings do not change the
/// terminals of other programs.
final class Terminal: Sendable {
  private let file: OpenFile
  private let saved: termios

  /// Opens the terminal. Returns nil if this process has no terminal, or if standard output is redirected.
  init?() {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    do { file = try OpenFile("/dev/tty", O_RDWR | O_NOCTTY) } catch { return nil }
    var settings = termios()
    guard unsafe tcgetattr(file.descriptor, &settings) == 0 else { return nil }
    saved = settings
    // Keys arrive immediately and are not echoed. Ctrl-C and other control characters still send signals.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }

  deinit {
    var settings = saved
    _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }

  private var descriptor: CInt { file.descriptor }

  /// The size of the terminal in characters; 24 rows and 80 columns if unknown.
  var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (24, 80) }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Writes a text with one system call, so that no other output gets between its parts. A cancelled task also writes
  /// its text. The call runs in a thread pool, because a terminal that is stopped with Ctrl-S blocks the calling
  /// thread.
  func write(_ text: String) async {
    let bytes = Array(text.utf8)
    let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    try? await NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { [descriptor] in
      _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }.get()
  }

  /// Reads the keys of the user, and passes each byte to a closure. The function ends when the terminal is closed or
  /// the task is cancelled.
  func keys(_ pressed: @Sendable @escaping (UInt8) async -> Void) async throws {
    let input = try await NIOPipeBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .takingOwnershipOfDescriptor(input: dup(descriptor)) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, Never>(wrappingChannelSynchronously: channel)
        }
      }
    try await input.executeThenClose { inbound in
      for try await bytes in inbound {
        for byte in bytes.readableBytesView { await pressed(byte) }
      }
    }
  }
}
