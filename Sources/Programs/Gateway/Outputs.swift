import LineProtocol
import Base
package import Logging
package import OperatingSystem

/// The effects of one input: log messages, events for the metrics, and changes of the board. `Gateway` performs these
/// effects at the end of the input.
///
/// Protocol lines are not here. The state machine sends protocol lines on the connection itself, because their order
/// among the bytes of fixes matters.
struct Outputs {
  /// The result of a press or a hold of the button, for the caller that simulated it.
  struct PressEnd: Hashable, Sendable {
    let button: String
    let effect: LastPress
    /// The instant of the release of the button; nil for a hold.
    let release: MonotonicInstant?
  }

  /// The messages for the log of the daemon.
  private(set) var messages: [LogMessage] = []
  /// The events for the metrics. `times` is the count of successive occurrences of the event.
  private(set) var events: [(event: Metrics.Event, times: Int)] = []
  /// The presses and holds of the button that have ended during this input.
  var endedPresses: [PressEnd] = []
  /// Whether a device of the board became ready: the level of a button is known, or the port of the receiver is open.
  var isDeviceReady = false
  /// Whether the power of the receiver was switched off, so that the reading of the receiver must end.
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

  /// Adds an event for the metrics. Equal events in succession become one element with a count, because a fix for a
  /// thousand subscribers causes a thousand equal events.
  mutating func note(_ event: Metrics.Event) {
    if events.last?.event == event { events[events.count - 1].times += 1 } else { events.append((event, 1)) }
  }
}

/// A message for the log of the daemon.
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

/// The result of a press or a hold of a button, as an owner or a metric gets it.
package enum PressOutcome: String, CaseIterable, Sendable {
  case nothing
  case served
  case granted
  case prompt
  case answered
  case locked
  case unlocked
}
