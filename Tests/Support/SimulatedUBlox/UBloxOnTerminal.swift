import Decoding
import Dispatch
import Glibc
import PseudoTerminals
import Synchronization

/// A receiver behind a pseudo-terminal. The port under test opens the slave.
package final class UBloxOnTerminal: Sendable {
  private struct State {
    var receiver: ConfiguredReceiver
    var isOpen = true
    var scanner = FrameScanner()
    var epochs: [[UInt8]] = []
  }

  package var path: String { terminal.path }
  private let terminal: PseudoTerminal
  private let state: Mutex<State>
  private let reading: any DispatchSourceRead & Sendable
  private let speaking: any DispatchSourceTimer & Sendable

  package init(_ receiver: ConfiguredReceiver) throws {
    let terminal = try PseudoTerminal()
    self.terminal = terminal
    // The slave stays open. Otherwise the master would be at its end whenever the port is closed.
    let slave = unsafe open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    state = Mutex(State(receiver: receiver))
    let queue = DispatchQueue(label: "receiver")
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
    speaking.setEventHandler { [weak self] in self?.speakNext() }
    speaking.activate()
  }

  deinit { hangUp() }

  package var receiver: ConfiguredReceiver { state.withLock { $0.receiver } }

  package func change(_ body: (inout ConfiguredReceiver) -> Void) {
    state.withLock { body(&$0.receiver) }
  }

  /// Sends bytes. When the buffer of the line is full, further bytes are dropped.
  package func send(_ bytes: [UInt8]) {
    state.withLock { if $0.isOpen { terminal.send(bytes) } }
  }

  /// Sends the epochs one by one.
  /// - Parameter seconds: The time between two epochs, in seconds.
  package func speak(_ epochs: [[UInt8]], every seconds: Double) {
    state.withLock { $0.epochs = epochs.reversed() }
    speaking.schedule(deadline: .now(), repeating: seconds)
  }

  /// Simulates a power cycle: the settings are reset, and the receiver sends its start messages.
  package func restart() {
    change { $0.restart() }
    send(Array("$GNTXT,01,01,02,u-blox AG - www.u-blox.com*4E\r\n".utf8))
  }

  package func hangUp() {
    let wasOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    guard wasOpen else { return }
    terminal.unplug()
    speaking.cancel()
    reading.cancel()
  }

  private func speakNext() {
    state.withLock { state in
      if state.isOpen, let epoch = state.epochs.popLast() { terminal.send(epoch) }
    }
  }

  private func read() {
    state.withLock { state in
      guard state.isOpen else { return }
      for (identifier, payload) in state.scanner.frames(in: terminal.receive()) {
        terminal.send(state.receiver.take(identifier, payload).flatMap { UBXFrame.encode($0.0, $0.1) })
      }
    }
  }
}
