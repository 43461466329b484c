import Glibc
import Hardware

/// The terminal of this program as the port of an owner's console. The deinitializer restores the terminal's former
/// mode.
final class TerminalConsolePort: ConsolePort {
  private let terminal: RawTerminal

  /// Opens the terminal on standard input. The result is nil if standard input is not a terminal.
  init?() {
    guard let terminal = RawTerminal() else { return nil }
    self.terminal = terminal
  }

  func restore() { terminal.restore() }

  var name: String { "the terminal" }

  var columns: Int { terminal.size?.columns ?? 80 }

  func send(_ bytes: [UInt8]) -> Bool {
    terminal.write(bytes)
    return true
  }

  func discardUnsent() {}

  func run(
    opened: @Sendable (ConsoleLocation) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws {
    let (inputs, continuation) = AsyncStream.makeStream(of: ConsoleInput.self)
    TerminalReader(descriptor: dup(terminal.descriptor)).start { input in
      switch input {
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
