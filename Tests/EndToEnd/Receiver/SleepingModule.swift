import Dispatch
import Glibc
import PseudoTerminals
import Sentences
import Synchronization

/// A module behind a pseudo-terminal that sends nothing until a command wakes it, and answers the commands of a table.
final class SleepingModule: Sendable {
  private struct State {
    var master: Int32
    var isAwake = false
    var text = ""
    var received: [String] = []
    var epochs: [[UInt8]] = []
  }

  var path: String { terminal.path }
  var received: [String] { state.withLock { $0.received } }
  private let terminal: PseudoTerminal
  private let answers: [String: [String]]
  private let wakeUp: String
  private let state: Mutex<State>
  private let reading: any DispatchSourceRead & Sendable
  private let speaking: any DispatchSourceTimer & Sendable

  /// - Parameters:
  ///   - wakeUp: The command that wakes the module.
  ///   - answers: The answers, by command.
  ///   - epochs: The epochs that the module sends while it is awake, in order.
  ///   - seconds: The time between two epochs, in seconds.
  init(wakeUp: String, _ answers: [String: [String]], _ epochs: [[UInt8]], every seconds: Double) throws {
    let terminal = try PseudoTerminal()
    self.terminal = terminal
    self.wakeUp = wakeUp
    self.answers = answers
    // The slave stays open. Otherwise the master would be at its end whenever the port is closed.
    let slave = unsafe open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    state = Mutex(State(master: terminal.master, epochs: epochs.reversed()))
    let queue = DispatchQueue(label: "module")
    // Both sources are classes of Dispatch that any thread may use.
    reading = DispatchSource.makeReadSource(fileDescriptor: terminal.master, queue: queue) as! DispatchSource
    speaking = DispatchSource.makeTimerSource(queue: queue) as! DispatchSource
    reading.setEventHandler { [weak self] in self?.read() }
    // Dispatch watches the descriptor until the cancellation.
    reading.setCancelHandler {
      terminal.hangUp()
      close(slave)
    }
    reading.resume()
    speaking.setEventHandler { [weak self] in self?.speak() }
    speaking.schedule(deadline: .now(), repeating: seconds)
    speaking.activate()
  }

  deinit {
    terminal.unplug()
    speaking.cancel()
    reading.cancel()
  }

  private func speak() {
    state.withLock { state in
      guard state.isAwake, let epoch = state.epochs.popLast() else { return }
      Self.send(epoch, to: state.master)
    }
  }

  private func read() {
    state.withLock { state in
      state.text += String(decoding: terminal.receive(), as: UTF8.self)
      // A line end of two characters is one character of a string.
      while let end = state.text.firstIndex(of: "\r\n") {
        let content = String(state.text[..<end].drop { $0 != "$" }.dropFirst().prefix { $0 != "*" })
        state.text.removeSubrange(...end)
        state.received.append(content)
        if content == wakeUp { state.isAwake = true }
        guard state.isAwake else { continue }
        for answer in answers[content] ?? [] { Self.send(Array(nmeaSentence(answer).utf8), to: state.master) }
      }
    }
  }

  private static func send(_ bytes: [UInt8], to master: Int32) {
    // The count is that of the array.
    _ = unsafe write(master, bytes, bytes.count)
  }
}
