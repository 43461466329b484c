import Dispatch
import PseudoTerminals
import Synchronization
import Testing

/// A terminal at the end of a serial line. It reads no faster than the line transmits.
final class SerialLine: Sendable {
  var path: String { terminal.path }
  /// All bytes that were received.
  let bytes = Observed<[UInt8]>([])
  private let terminal: PseudoTerminal
  private let timer: any DispatchSourceTimer & Sendable

  /// - Parameter speed: The rate of the line in bytes per second.
  init(speed: Int) throws {
    let terminal = try PseudoTerminal()
    self.terminal = terminal
    let timer = DispatchSource.makeTimerSource()
    self.timer = timer as! DispatchSource
    timer.schedule(deadline: .now(), repeating: 0.05)
    timer.setEventHandler { [bytes] in
      let received = terminal.receive(atMost: speed / 20)
      if !received.isEmpty { bytes.change { $0 += received } }
    }
    timer.setCancelHandler { terminal.hangUp() }
    timer.resume()
  }

  deinit { timer.cancel() }

  func type(_ text: String) { terminal.send(text) }

  /// Waits until the terminal shows a text, as pyte (Debian's python3-pyte) renders the received bytes.
  @discardableResult
  func shows(
    _ text: String, rows: Int = 24, columns: Int = 80, within limit: Duration = .seconds(30)
  ) async throws -> [String] {
    do {
      return try await eventually("'\(text)' on the terminal", within: limit) {
        let screen = try await screen(rows, columns)
        return screen.contains { $0.contains(text) } ? screen : nil
      }
    } catch let error as TimedOut {
      let screen = try await screen(rows, columns).joined(separator: "\n")
      throw TimedOut(what: error.what, limit: error.limit, seen: screen)
    }
  }

  /// Types yes until the answer is accepted. The gateway accepts no answer before the question is on the terminal.
  func answerYes(_ text: String) async throws {
    _ = try await eventually("'\(text)' after a yes") {
      type("y")
      return try await screen().contains { $0.contains(text) } ? true : nil
    }
  }

  func screen(_ rows: Int = 24, _ columns: Int = 80) async throws -> [String] {
    let program =
      "import pyte,sys;s=pyte.Screen(\(columns),\(rows));pyte.ByteStream(s).feed(sys.stdin.buffer.read());"
      + "sys.stdout.buffer.write(''.join(l.rstrip()+'\\n' for l in s.display).encode())"
    let terminal = try Child("/usr/bin/python3", ["-c", program])
    terminal.write(bytes.value)
    terminal.closeInput()
    let shown = try await terminal.finish()
    try #require(shown.end == .exit(0), "\(shown.errors)")
    return shown.output
  }
}
