import Base
import Hardware

/// The state of the gateway for one line of text, which the service manager shows to every user of the machine.
///
/// So the line contains only faults, and the kill switch, of which each app is told. Nothing in the line depends on the
/// fix of the receiver, on the sessions of apps or on presses. But a press can be the first write to a full disk.
struct StatusLine: Hashable {
  var isReceiverAbsent = false
  var isLocked = false
  var restriction: LegibilityProblem?
  var isButtonAbsent = false
  var listenersClosed = 0
  /// Whether a change is in force, but could not be saved. The gateway then sends no fixes to apps.
  var isUnsaved = false
  var log = LogUpkeep.Condition.unchecked
  var isClockUnset = false
  /// The text for owners (administrators) about the last reload of the configuration; nil if the whole configuration is
  /// in use.
  var configuration: String?

  var text: String {
    var parts = ["running"]
    if isReceiverAbsent { parts.append("receiver absent") }
    if isLocked { parts.append("locked") }
    if let restriction { parts.append("the light cannot be seen (\(restriction.rawValue))") }
    if isButtonAbsent { parts.append("a button cannot be used") }
    if listenersClosed > 0 {
      parts.append(listenersClosed == 1 ? "1 listener is closed" : "\(listenersClosed) listeners are closed")
    }
    if isUnsaved { parts.append("the state cannot be written") }
    switch log {
    case .unchecked, .good: break
    case .broken: parts.append("the log was changed")
    case .unreadable: parts.append("the log cannot be read")
    case .unmaintained: parts.append("the log cannot be written")
    }
    if isClockUnset { parts.append(ClockFault.unset.text) }
    if let configuration { parts.append(configuration) }
    return parts.joined(separator: "; ")
  }
}

/// Sends changes of the status text to the service manager, at most one text in each `pause`.
struct StatusReporter {
  /// The minimum time between two status texts. Without this limit, a button with a loose contact could change the text
  /// many times in a second.
  static let pause = Duration.seconds(3)

  /// The status that was sent last; nil before the first report.
  private var reported: StatusLine?
  /// The earliest instant for the next status text; nil before the first report.
  private var notBefore: MonotonicInstant?
  /// The instant at which a changed status will be sent; nil if no change waits.
  private(set) var nextDeadline: MonotonicInstant?

  /// Returns the present status text, which the caller sends. After this call, `update` sends each change.
  mutating func report(_ line: StatusLine, at now: MonotonicInstant) -> String {
    self = StatusReporter()
    reported = line
    notBefore = now + Self.pause
    return line.text
  }

  /// Sends the status text if the status has changed, but not before the end of `pause`.
  /// - Parameter send: The function that sends a text to the service manager. The result is false if the text cannot be
  ///   sent now.
  mutating func update(_ line: StatusLine, at now: MonotonicInstant, _ send: (String) -> Bool) {
    guard let reported else { return }
    guard line != reported else {
      nextDeadline = nil
      return
    }
    if let notBefore, now < notBefore {
      nextDeadline = notBefore
      return
    }
    let next = now + Self.pause
    notBefore = next
    nextDeadline = nil
    if send(line.text) { self.reported = line } else { nextDeadline = next }
  }
}
