import Base
import LineProtocol
package import Logging
package import OperatingSystem

/// The effects of one input (an event or a command): log messages, events for the metrics, and changes of the board.
/// `Gateway` performs these effects at the end of the input.
///
/// Protocol lines for clients are not among the effects. The router sends these lines directly, because their order
/// among the bytes of fixes matters.
struct Outputs {
  /// The end of a press or a hold (long press) of a button, with its effect.
  struct PressEnd: Hashable, Sendable {
    let button: String
    let effect: LastPress
    /// The instant of the release of the button; nil for a hold (long press).
    let release: MonotonicInstant?
  }

  private(set) var messages: [LogMessage] = []
  /// The events for the metrics, each with the count of its occurrences in succession.
  private(set) var events: [(event: Metrics.Event, times: Int)] = []
  /// The presses and holds (long presses) of buttons that have ended during the present input (an event or a command).
  var endedPresses: [PressEnd] = []
  /// The fixes for outputs (such as MQTT brokers) that have ended during the present input, each with its outcome. The
  /// router passes these outcomes to the effect of the latest press.
  var settlements: [Outbox.Settlement] = []
  /// Whether a device has become ready during the present input: the level of a button is known, or the port of the
  /// GNSS receiver is open.
  var isDeviceReady = false
  /// Whether the power of the GNSS receiver was switched off during the present input. The gateway then stops reading
  /// the receiver.
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

  /// Adds an event for the metrics. Equal events in succession become one element with a count, because a fix for 1,000
  /// subscribers causes 1,000 equal events.
  mutating func note(_ event: Metrics.Event) {
    if events.last?.event == event { events[events.count - 1].times += 1 } else { events.append((event, 1)) }
  }
}

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

/// The effect of a press or a hold (long press) of a button, in the short form for owners (administrators) and metrics.
package enum PressOutcome: String, CaseIterable, Sendable {
  case nothing
  case served
  case granted
  case prompt
  case answered
  case locked
  case unlocked
}
