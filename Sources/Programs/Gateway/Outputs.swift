import Authorization
import Base
package import Logging
package import OperatingSystem

/// The consequences of an input outside the core. The parts of the core write into this value, and `Gateway` performs
/// its contents at the end of the input.
///
/// This value contains no protocol lines. The parts of the core send and recall protocol lines on the connection
/// themselves, because the order of protocol lines among the bytes of fixes matters.
struct Outputs {
  /// The end of a press or of a hold.
  struct PressEnd: Hashable, Sendable {
    let button: String
    let effect: LastPress
    /// The instant of the release; nil for a hold.
    let release: MonotonicInstant?
  }

  /// The messages for the log of the daemon.
  private(set) var messages: [LogMessage] = []
  /// The events for the metrics, each with the number of its successive occurrences.
  private(set) var events: [(event: Metrics.Event, times: Int)] = []
  /// The presses and holds that have taken effect.
  var endedPresses: [PressEnd] = []
  /// Whether a device of the board became ready, because the first level of a button is known or because the receiver's
  /// port is open.
  var isDeviceReady = false
  /// Whether the receiver's supply was switched off, so that the reading of the receiver must end.
  var isReceiverOff = false

  mutating func log(_ message: LogMessage) { messages.append(message) }

  mutating func log(
    _ subsystem: Subsystem, _ level: Logger.Level, _ text: String, _ metadata: [String: String] = [:],
    file: String = #fileID, function: String = #function, line: UInt = #line
  ) {
    messages.append(LogMessage(subsystem, level, text, metadata, file: file, function: function, line: line))
  }

  mutating func count(_ counter: Metrics.Counter, of app: AppID? = nil, _ label: String? = nil) {
    note(.count(counter, app, label))
  }

  /// Notes an event for the metrics. A fix to a thousand subscribers causes the same event a thousand times.
  mutating func note(_ event: Metrics.Event) {
    if events.last?.event == event { events[events.count - 1].times += 1 } else { events.append((event, 1)) }
  }
}

/// A message for the daemon's log.
package struct LogMessage: Hashable {
  let subsystem: Subsystem
  let level: Logger.Level
  let text: String
  let metadata: [String: String]
  let file: String
  let function: String
  let line: UInt

  package init(
    _ subsystem: Subsystem, _ level: Logger.Level, _ text: String, _ metadata: [String: String] = [:],
    file: String = #fileID, function: String = #function, line: UInt = #line
  ) {
    self.subsystem = subsystem
    self.level = level
    self.text = text
    self.metadata = metadata
    self.file = file
    self.function = function
    self.line = line
  }
}

/// The result of a press or a hold.
package enum PressOutcome: String, CaseIterable, Sendable {
  case nothing
  case served
  case granted
  case prompt
  case answered
  case locked
  case unlocked
}
