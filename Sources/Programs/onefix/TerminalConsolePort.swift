import Glibc
import Hardware

/// The terminal in which this program runs, as a console.
///
/// Its end gives the terminal back as it was.
final class TerminalConsolePort: ConsolePort {
  private let terminal: RawTerminal

  /// Nil where the standard input is no terminal.
  init?() {
    guard let terminal = RawTerminal() else { return nil }
    self.terminal = terminal
  }

  /// Gives the terminal back, once.
  func restore() { terminal.restore() }

  var name: String { "the terminal" }

  /// Columns; 80 where it does not say.
  var columns: Int { terminal.size?.columns ?? 80 }

  func send(_ bytes: [UInt8]) -> Bool {
    terminal.write(bytes)
    return true
  }

  func discardUnsent() {}

  func run(
    opened: @Sendable (ConsoleReach) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws {
    let (inputs, continuation) = AsyncStream.makeStream(of: ConsoleInput.self)
    TerminalReader(descriptor: dup(terminal.descriptor)).start { heard in
      switch heard {
      case .bytes(let bytes): continuation.yield(.bytes(bytes))
      case .signal: break
      case .end: continuation.finish()
      }
    }
    await opened(.local)
    for await input in inputs { await receive(input) }
    if !Task.isCancelled { await receive(.hangUp) }
  }
}
