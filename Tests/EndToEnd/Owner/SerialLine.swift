import Dispatch
import PseudoTerminals
import Synchronization
import Testing

/// A terminal at the end of a serial line. It reads no faster than the line transmits.
final class SerialLine: Sendable {
  var path: String { terminal.path }
  /// All bytes that were received.
  let bytes = Observed<[UInt8]>([])
  /// Whether the line had nothing to transmit at the latest look.
  private let isIdle = Mutex(false)
  private let terminal: PseudoTerminal
  private let emulator = Emulator()
  private let timer: any DispatchSourceTimer & Sendable

  /// - Parameter speed: The rate of the line in bytes per second.
  init(speed: Int) throws {
    let terminal = try PseudoTerminal()
    self.terminal = terminal
    let timer = DispatchSource.makeTimerSource()
    self.timer = timer as! DispatchSource
    timer.schedule(deadline: .now(), repeating: 0.05)
    timer.setEventHandler { [weak self, bytes] in
      let received = terminal.receive(atMost: speed / 20)
      self?.isIdle.withLock { $0 = received.isEmpty }
      if !received.isEmpty { bytes.change { $0 += received } }
    }
    timer.setCancelHandler { terminal.hangUp() }
    timer.resume()
  }

  deinit { timer.cancel() }

  func type(_ text: String) { terminal.send(text) }

  /// Waits until the terminal shows a text, as pyte (Debian's python3-pyte) renders the received bytes, and the line has
  /// transmitted everything. `onefix top` accepts no key for a question before the line has transmitted the question.
  @discardableResult
  func shows(_ text: String, rows: Int = 24, columns: Int = 80) async throws -> [String] {
    do {
      return try await eventually("'\(text)' on the terminal", within: .seconds(30)) {
        let received = bytes.value
        guard isIdle.withLock({ $0 }) else { return nil }
        let screen = try await emulator.screen(received, rows, columns)
        return screen.contains { $0.contains(text) } ? screen : nil
      }
    } catch let error as TimedOut {
      let screen = try await screen(rows, columns).joined(separator: "\n")
      throw TimedOut(what: error.what, limit: error.limit, seen: screen)
    }
  }

  func screen(_ rows: Int = 24, _ columns: Int = 80) async throws -> [String] {
    try await emulator.screen(bytes.value, rows, columns)
  }
}

/// pyte (Debian's python3-pyte), which renders the bytes of a line. One process for each size renders every look, because
/// a start of Python takes longer than the rendering.
private actor Emulator {
  private struct Renderer {
    let process: Child
    var received = 0
    var looks = 0
  }

  private var renderers: [[Int]: Renderer] = [:]

  /// Returns the rows after all bytes. The bytes of each call begin with those of the call before.
  func screen(_ bytes: [UInt8], _ rows: Int, _ columns: Int) async throws -> [String] {
    let size = [rows, columns]
    var renderer = try renderers[size] ?? Renderer(process: Self.start(rows, columns))
    let more = bytes.dropFirst(renderer.received)
    renderer.process.write(Array("\(more.count)\n".utf8) + more)
    renderer.received = max(renderer.received, bytes.count)
    renderer.looks += 1
    renderers[size] = renderer
    let last = renderer.looks * rows
    return try await renderer.process.output.first("the rows of the terminal") { shown in
      if shown.isOver { throw Ended(errors: renderer.process.errors.value) }
      return shown.lines.count >= last ? Array(shown.lines[(last - rows)..<last]) : nil
    }
  }

  struct Ended: Error { var errors: TextOutput }

  private static func start(_ rows: Int, _ columns: Int) throws -> Child {
    let program = """
      import pyte, sys
      screen = pyte.Screen(\(columns), \(rows))
      stream = pyte.ByteStream(screen)
      for count in sys.stdin.buffer:
          stream.feed(sys.stdin.buffer.read(int(count)))
          sys.stdout.buffer.write("".join(line.rstrip() + "\\n" for line in screen.display).encode())
          sys.stdout.buffer.flush()
      """
    return try Child("/usr/bin/python3", ["-c", program])
  }
}
