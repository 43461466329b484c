import Base
import Decoding
import Hardware
import LineProtocol

/// The state of the gateway for one line of text, which the service manager shows. The text contains no position.
struct StatusLine: Hashable {
  var receiver: ReceiverCondition.State
  /// The kind of fix, as in `3d`; nil without a fix.
  var mode: String?
  var satellites: Int?
  var apps: Int
  var isLocked: Bool
  var restriction: LegibilityProblem?
  var isButtonFaulty: Bool
  /// The count of outputs that cannot be used: brokers, web servers, files and serial ports.
  var outputsAway: Int
  var listenersClosed = 0
  /// The apps whose configured Unix user does not exist.
  var appsOff: [AppID] = []
  /// Whether at least one change is unsaved. The gateway then sends no fixes to apps.
  var isUnsaved: Bool
  var log: LogUpkeep.Condition
  /// The apps that have nearly used up their quota of log entries.
  var busyApps: [AppID] = []
  var clock: ClockFault?
  /// The text for owners (administrators) about the last reload of the configuration; nil if the whole configuration is
  /// in use.
  var configuration: String?

  var text: String {
    var parts = [receiverText]
    parts.append(apps == 0 ? "no apps" : apps == 1 ? "1 app" : "\(apps) apps")
    if isLocked { parts.append("locked") }
    if let restriction { parts.append("the light cannot be seen (\(restriction.rawValue))") }
    if isButtonFaulty { parts.append("a button cannot be used") }
    if outputsAway > 0 {
      parts.append(outputsAway == 1 ? "1 output cannot be used" : "\(outputsAway) outputs cannot be used")
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

/// Sends changes of the status text to the service manager, at most one text in each `pause`.
struct StatusReporter {
  /// The minimum time between two status texts. Without this limit, the count of satellites could change the text in
  /// every epoch (each second or more often).
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
