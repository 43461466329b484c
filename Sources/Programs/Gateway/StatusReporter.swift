import Authorization
import Base
import Hardware
import Decoding

/// The state of the gateway in one text line, for an owner. The text line contains no position.
struct StatusLine: Hashable {
  var receiver: ReceiverCondition.State
  /// The name of the fix mode, as in `3d`; nil without a fix.
  var mode: String?
  var satellites: Int?
  var apps: Int
  var isLocked: Bool
  var restriction: LegibilityRestriction?
  var isButtonFaulty: Bool
  /// The number of brokers and other outputs that are disconnected.
  var outputsAway: Int
  var listenersClosed = 0
  /// The apps whose configured user does not exist.
  var appsOff: [AppID] = []
  /// Whether changes of authorizations are not durable yet. Nothing is disclosed until the changes are saved.
  var isUnsaved: Bool
  var log: LogUpkeep.Condition
  /// The apps that have nearly used up their quota of log entries.
  var busyApps: [AppID] = []
  var clock: ClockFault?
  /// The words about the configuration that was read last; nil if all of it is in force.
  var configuration: String?

  var text: String {
    var parts = [receiverText]
    parts.append(apps == 0 ? "no apps" : apps == 1 ? "1 app" : "\(apps) apps")
    if isLocked { parts.append("locked") }
    if let restriction { parts.append("the light cannot be seen (\(restriction.rawValue))") }
    if isButtonFaulty { parts.append("a button cannot be used") }
    if outputsAway > 0 {
      parts.append(outputsAway == 1 ? "1 output is disconnected" : "\(outputsAway) outputs are disconnected")
    }
    if listenersClosed > 0 {
      parts.append(listenersClosed == 1 ? "1 listener is closed" : "\(listenersClosed) listeners are closed")
    }
    if !appsOff.isEmpty { parts.append("apps without their user: \(appsOff.map(\.name).joined(separator: ", "))") }
    if isUnsaved { parts.append("the state cannot be written") }
    switch log {
    case .unchecked, .good: break
    case .broken: parts.append("the log was changed")
    case .unreadable: parts.append("the log cannot be read")
    case .unmaintained: parts.append("the log cannot be written")
    }
    if !busyApps.isEmpty { parts.append("log entries nearly used up: \(busyApps.map(\.name).joined(separator: ", "))") }
    if let clock { parts.append(clock.text) }
    if let configuration { parts.append(configuration) }
    return parts.joined(separator: "; ")
  }

  private var receiverText: String {
    switch receiver {
    case .off: "receiver off"
    case .absent: "receiver absent"
    case .starting: "receiver silent"
    case .acquiring: "receiver without a fix" + satellitesText
    case .ready: "receiver \(mode ?? "has a") fix" + satellitesText
    }
  }

  private var satellitesText: String {
    satellites.map { $0 == 1 ? ", 1 satellite" : ", \($0) satellites" } ?? ""
  }
}

/// Reports changes of the status line to the service manager, at most one in each `pause`.
struct StatusReporter {
  /// The minimum time between two reports. The number of satellites could otherwise cause a report in every epoch.
  static let pause = Duration.seconds(3)

  /// The status line that was reported last; nil before the first report.
  private var reported: StatusLine?
  /// The time of the earliest next report.
  private var notBefore: MonotonicInstant?
  /// The time at which the next change is reported; nil if no change waits.
  private(set) var nextDeadline: MonotonicInstant?

  /// Returns the text for an immediate report. From then on, `update` reports changes of the status line.
  mutating func report(_ line: StatusLine, at now: MonotonicInstant) -> String {
    self = StatusReporter()
    reported = line
    notBefore = now + Self.pause
    return line.text
  }

  /// Reports a change of the status line, immediately or after the pause.
  /// - Parameter send: Sends a text to the service manager. Returns false if it cannot be sent now.
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
