import Authorization
import Clocks
import GNSS
import Hardware
import LineProtocol
import OperatingSystem

/// What an administrator sees of the gateway in a line. No position.
struct StatusLine: Hashable {
  var receiver: ReceiverCondition.State
  var mode: FixMode?
  var satellites: Int?
  /// How many are connected.
  var apps: Int
  var isLocked: Bool
  var restriction: LegibilityRestriction?
  var isButtonFaulty: Bool
  var brokersAway: Int
  /// Changes of rights could not be written: nothing is disclosed until they are.
  var isUnsaved: Bool
  var isLogBroken: Bool
  /// The apps that have added most of what they may to the log.
  var busyApps: [AppID] = []
  /// What is to be known of the configuration.
  var configuration: String?

  var text: String {
    var parts = [receiverText]
    parts.append(apps == 0 ? "no apps" : apps == 1 ? "1 app" : "\(apps) apps")
    if isLocked { parts.append("locked") }
    if let restriction { parts.append("the light cannot be seen (\(restriction.rawValue))") }
    if isButtonFaulty { parts.append("a button cannot be used") }
    if brokersAway > 0 { parts.append(brokersAway == 1 ? "1 broker is away" : "\(brokersAway) brokers are away") }
    if isUnsaved { parts.append("the state cannot be written") }
    if isLogBroken { parts.append("the log is not as it was written") }
    if !busyApps.isEmpty { parts.append("the log fills by \(busyApps.map(\.name).joined(separator: ", "))") }
    if let configuration { parts.append(configuration) }
    return parts.joined(separator: "; ")
  }

  private var receiverText: String {
    switch receiver {
    case .off: "receiver off"
    case .absent: "receiver absent"
    case .starting: "receiver silent"
    case .acquiring: "receiver without a fix" + satellitesText
    case .ready: "receiver \(mode?.name ?? "has a") fix" + satellitesText
    }
  }

  private var satellitesText: String {
    satellites.map { $0 == 1 ? ", 1 satellite" : ", \($0) satellites" } ?? ""
  }
}

/// What the service manager was told.
struct StatusKeeping {
  /// Between two lines at least: a number of satellites may change with every epoch.
  static let pause = Duration.seconds(3)

  /// Nil until it is to be told.
  var told: StatusLine?
  var notBefore: MonotonicInstant?
  /// When a change is told that came too soon; nil where there is none.
  var due: MonotonicInstant?
}

extension Gateway {
  /// How the gateway is. Whoever asks tells it; from then on changes are told by themselves.
  package func currentStatus() -> String {
    let line = statusLine
    statusKeeping = StatusKeeping(told: line, notBefore: SystemClock.monotonic + StatusKeeping.pause)
    return line.text
  }

  /// Tells what has changed, now or once it may be: nobody is woken for what stays the same.
  func tendStatus(at now: MonotonicInstant) {
    guard let tell = setup.tellStatus, let told = statusKeeping.told else { return }
    let line = statusLine
    guard line != told else {
      statusKeeping.due = nil
      return
    }
    if let notBefore = statusKeeping.notBefore, now < notBefore {
      statusKeeping.due = notBefore
      return
    }
    let next = now + StatusKeeping.pause
    statusKeeping.notBefore = next
    statusKeeping.due = nil
    if tell(line.text) { statusKeeping.told = line } else { statusKeeping.due = next }
  }

  private var statusLine: StatusLine {
    let condition = reception.condition
    let isLogBroken =
      switch logKeeping.condition {
      case .unchecked, .good: false
      case .broken, .unreadable, .untended: true
      }
    return StatusLine(
      receiver: condition.state, mode: condition.mode, satellites: condition.satellitesUsed,
      apps: sessions.apps.count, isLocked: authorization.isLocked, restriction: indicator.restriction,
      isButtonFaulty: buttons.values.contains { $0.fault != nil || $0.debouncer?.isStuck == true },
      brokersAway: outbox.bridges.count { !$0.isConnected }, isUnsaved: !unsaved.apps.isEmpty || unsaved.lock,
      isLogBroken: isLogBroken, busyApps: logQuota.lowApps(at: SystemClock.monotonic), configuration: configurationNote)
  }
}
