import Dispatch
import Glibc
import PseudoTerminals
import Synchronization

/// A pseudo-terminal: the test is the receiver and holds the master, the daemon opens the slave.
final class Terminal: Sendable {
  let path: String
  private let master: Mutex<Int32>

  init() throws {
    let opened = try openPseudoTerminal()
    master = Mutex(opened.master)
    path = opened.path
  }

  deinit { hangUp() }

  /// Sends bytes. When the buffer of the line is full, further bytes are dropped.
  func send(_ bytes: [UInt8]) {
    // The count is that of the array.
    _ = master.withLock { $0 < 0 ? 0 : unsafe write($0, bytes, bytes.count) }
  }

  func hangUp() {
    master.withLock { master in
      if master >= 0 { close(master) }
      master = -1
    }
  }
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
