import CTestShims
import Dispatch
import Foundation
import Glibc
import PseudoTerminals
import Synchronization

/// The test's end of a line, for example the master of a pseudo-terminal.
final class PortEnd: Sendable {
  private struct State {
    /// The end of the line; -1 after the end has hung up.
    var descriptor: Int32
    var source: DispatchSource?
  }

  private let state: Mutex<State>
  /// The pseudo-terminal, which closes the descriptor. Nil for the end of another line.
  private let terminal: PseudoTerminal?

  init(_ terminal: PseudoTerminal) {
    state = Mutex(State(descriptor: terminal.master))
    self.terminal = terminal
  }

  init(_ descriptor: Int32) {
    state = Mutex(State(descriptor: descriptor))
    terminal = nil
  }

  /// Reads the line until the end hangs up.
  /// - Parameter receive: Receives the bytes from now on.
  func read(_ receive: @escaping @Sendable ([UInt8]) -> Void) {
    state.withLock { state in
      let master = state.descriptor
      // The test holds the slave open. Otherwise the master would be readable all the time while no process has opened
      // the slave. 0x5441 is TIOCGPTPEER (ioctl_tty(2)).
      let slave = ioctl(master, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
      let source = DispatchSource.makeReadSource(fileDescriptor: master, queue: DispatchQueue(label: "port"))
      source.setEventHandler {
        var buffer = [UInt8](repeating: 0, count: 4096)
        // The count is that of the buffer.
        let count = unsafe Glibc.read(master, &buffer, buffer.count)
        if count > 0 { receive(Array(buffer[..<count])) }
      }
      source.setCancelHandler { [terminal] in
        Glibc.close(slave)
        Self.close(master, of: terminal)
      }
      state.source = source as? DispatchSource
      source.resume()
    }
  }

  deinit { hangUp() }

  func send(_ bytes: [UInt8]) {
    // The count is that of the array.
    _ = state.withLock { $0.descriptor < 0 ? 0 : unsafe write($0.descriptor, bytes, bytes.count) }
  }

  func isRaw(speed: Int) -> Bool { state.withLock { pseudo_terminal_is_raw($0.descriptor, UInt32(speed)) == 1 } }

  func hangUp() {
    terminal?.unplug()
    state.withLock { state in
      if let source = state.source {
        source.cancel()
      } else if state.descriptor >= 0 {
        Self.close(state.descriptor, of: terminal)
      }
      state = State(descriptor: -1)
    }
  }

  private static func close(_ descriptor: Int32, of terminal: PseudoTerminal?) {
    if let terminal { terminal.hangUp() } else { Glibc.close(descriptor) }
  }
}

/// A pseudo-terminal: the test is the receiver and holds the master, the daemon opens the slave.
struct Terminal {
  let path: String
  let end: PortEnd

  /// - Parameter path: The path of an earlier terminal that this one replaces. Nil for a new path.
  init(at path: String? = nil) throws {
    let terminal = try PseudoTerminal(at: path)
    end = PortEnd(terminal)
    self.path = terminal.path
  }

  /// Sends bytes. When the buffer of the line is full, further bytes are dropped.
  func send(_ bytes: [UInt8]) { end.send(bytes) }

  func hangUp() { end.hangUp() }
}

/// A loop that sends a log into a terminal, one epoch at a time, at its own rate.
final class Feed: Sendable {
  private let timer: any DispatchSourceTimer & Sendable
  private let rest: Mutex<[[UInt8]]>

  /// - Parameter seconds: The time between two epochs, in seconds.
  init(_ log: String, into terminal: Terminal, every seconds: Double) {
    let epochs = log.split(separator: "$GPRMC").map { Array("$GPRMC\($0)".utf8) }
    rest = Mutex(epochs.reversed())
    let timer = DispatchSource.makeTimerSource()
    self.timer = timer as! DispatchSource
    timer.schedule(deadline: .now(), repeating: seconds)
    timer.setEventHandler { [weak self] in
      if let epoch = self?.rest.withLock({ $0.popLast() }) { terminal.send(epoch) }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}
