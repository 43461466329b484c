import Authorization
import Clocks
import Hardware
import LineProtocol
import Logging
import OperatingSystem

/// What apps and owners are told of.
extension Gateway {
  func tellPress(_ id: SessionID?, _ news: PressNews) {
    let json: String
    switch news {
    case .authorized: json = #"{"authorized":true}"#
    case .restricted: json = refusedPressJSON("restricted")
    case .locked: json = refusedPressJSON("locked")
    case .nothingArmed: json = refusedPressJSON("nothing-armed")
    case .armedTooLate: json = refusedPressJSON("armed-too-late")
    case .illegible(let restriction):
      json = refusedPressJSON(restriction)
      let remedy = LegibilityRestriction(rawValue: restriction)?.remedy ?? "see onefixd check"
      // The person sees that nothing was given, and a LED that works again can show it.
      indicator.show(sign: .nothingWaiting, at: SystemClock.monotonic)
      loggers.indicator.warning(
        "cannot grant a press: \(restriction) (\(remedy))",
        metadata: ["restriction": "\(restriction)", "remedy": "\(remedy)"])
    }
    if let id {
      sessions[id]?.tell(.buttonPress, json)
    } else {
      for session in sessions.values { session.tell(.buttonPress, json) }
      tellOwners(.buttonPress, json)
    }
  }

  private func refusedPressJSON(_ reason: String) -> String {
    counts.pressRefusals[reason, default: 0] += 1
    return #"{"authorized":false,"reason":"\#(reason)"}"#
  }

  func announce(_ app: AppID) {
    for session in sessions.of(app) { session.tell(.authorization, authorizationJSON(app, in: session.id)) }
  }

  func authorizationJSON(_ app: AppID, in session: SessionID) -> String {
    var object = JSONObject()
    object.add("status", authorization.visibleStatus(of: app, in: session).rawValue)
    object.add("accuracy", authorization.accuracy(of: app, in: session).rawValue)
    return object.text
  }

  func notifyOwners(_ app: AppID, _ event: RegionEvent) {
    var object = JSONObject()
    object.add("app", app.name)
    object.add("name", name(of: app))
    object.add("region", event.region)
    object.add("event", event.isEntry ? "enter" : "exit")
    object.add("says", (regions.region(event.region, of: app)?.text).map(quotable))
    object.add("time", clock.utc.iso8601)
    if owners.values.contains(where: { $0.subscriptions.contains(.ownerNotification) }) {
      tellOwners(.ownerNotification, object.text)
    } else {
      // The next owner who listens hears it.
      if untoldNotifications.count >= Self.mostUntoldNotifications { counts.droppedNotifications += 1 }
      untoldNotifications = untoldNotifications.suffix(Self.mostUntoldNotifications - 1) + [object.text]
    }
    // Location in use is shown first.
    notifiedUntil = SystemClock.monotonic + Self.notificationTime
  }

  /// How long the indicator shows that there is a notification.
  static let notificationTime: Duration = .seconds(3)

  func announceLock(_ isLocked: Bool, at now: MonotonicInstant) {
    lastPressOutcome = isLocked ? .locked : .unlocked
    inUse = [:]
    indicator.show(.off, at: now)
    indicator.show(sign: .locked, at: now)
    toldIndication = .off
    tellOwners(.indicator, indicatorJSON(.off))
    loggers.gateway.notice(isLocked ? "locked by the kill switch" : "unlocked")
  }

  /// How many notifications are kept for an owner who is not there.
  static let mostUntoldNotifications = 20

  func tellOwners(_ topic: Topic, _ json: String) {
    for (number, owner) in owners { owners[number]?.subscriptions.tell(topic, json, on: owner.connection) }
  }
}
