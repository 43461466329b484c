import CTestShims
import Dispatch
import Foundation
import Glibc
import PseudoTerminals
import Synchronization

/// The test's end of a line, for example the master of a pseudo-terminal.
final class PortEnd: Sendable {
  private let descriptor: Mutex<Int32>

  init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  /// Reads the line in a thread until the end hangs up.
  /// - Parameter receive: Receives the bytes from now on.
  func read(_ receive: @escaping @Sendable ([UInt8]) -> Void) {
    Thread.detachNewThread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while let reader = self {
        let count = reader.descriptor.withLock { descriptor in
          // EAGAIN means that there is nothing to read. EIO means that no process has the slave open.
          descriptor < 0 ? -2 : unsafe Glibc.read(descriptor, &buffer, buffer.count)
        }
        if count == -2 { return }
        // `poll` cannot replace the pause: while no process has the slave open, it returns immediately.
        if count > 0 { receive(Array(buffer[..<count])) } else { usleep(2000) }
      }
    }
  }

  deinit { hangUp() }

  func send(_ bytes: [UInt8]) {
    // The count is that of the array.
    _ = descriptor.withLock { $0 < 0 ? 0 : unsafe write($0, bytes, bytes.count) }
  }

  func isRaw(speed: Int) -> Bool { descriptor.withLock { pseudo_terminal_is_raw($0, UInt32(speed)) == 1 } }

  func hangUp() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }
}

/// A pseudo-terminal: the test is the receiver and holds the master, the daemon opens the slave.
struct Terminal {
  let path: String
  let end: PortEnd

  init() throws {
    let opened = try openPseudoTerminal()
    end = PortEnd(opened.master)
    path = opened.path
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
