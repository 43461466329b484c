import Authorization
import Base
import LineProtocol
import Logging
import OperatingSystem
import Ports
import StateStore

// Authorizations that owners give for a time. See row D6 of the authorization reference (right that ends).
extension Router {
  /// The interval at which the gateway reads the clocks while an authorization has a time limit. The time limit
  /// includes the time in suspend, but a timer of the event loop does not.
  static let suspensionCheck: Duration = .seconds(30)
  /// The maximum difference between two clocks that does not count as a suspension of the machine. Two clocks are never
  /// read at exactly the same instant.
  private static let clockNoise: Duration = .milliseconds(10)
  /// The smallest change of the wall clock after which the ends of time limits are saved again.
  private static let clockStep: Duration = .seconds(1)

  /// The shortest suspension of the machine after which the data of the GNSS receiver is discarded, the grants
  /// (permissions for one fix) of presses end, and fixes that were sent or kept before are not sent again.
  private static let suspension: Duration = .seconds(1)

  /// Detects a suspension of the machine or a jump of the wall clock, discards the receiver's data from before a
  /// suspension, and updates the time limits of authorizations. The gateway calls this function before each input.
  mutating func readClocks(at now: ClockReading) {
    let slept = now.suspended - authorization.suspended
    if slept >= Self.suspension { resumeReceiver(at: now) }
    if slept > Self.clockNoise {
      suspensions.append((now.monotonic, slept))
      handle(.resumed(suspended: now.suspended), at: now)
    }
    if slept >= Self.suspension {
      endGrantsOfPresses(at: now)
      // A fix for an output is not affected: it waits in the outbox, and contains the time of its press.
      for session in sessions.sorted where session.connection?.sink == nil { session.connection?.recall(.all) }
      endErased(disclosures.erase(.all, &outputs), at: now)
      regions.erase(nil)
      disclosures.noteSuspension(at: now)
    }
    guard authorization.nextTimeLimit != nil else { return clockOfEnds = nil }
    guard let former = clockOfEnds else { return clockOfEnds = now }
    let (expected, shown) = (former.utc(at: now.boot).nanosecondsSince1970, now.utc.nanosecondsSince1970)
    let step = Duration.nanoseconds(max(expected, shown)) - .nanoseconds(min(expected, shown))
    guard step > Self.clockStep else { return }
    saveTimeLimits(at: now)
  }

  /// Ends the grants (permissions for one fix) of presses from before a suspension of the machine. The monotonic clock
  /// stops during a suspension, so a grant would otherwise give a fix of a much later time.
  private mutating func endGrantsOfPresses(at now: ClockReading) {
    for grant in authorization.sortedGrants where grant.press != nil {
      end(grant.request, LineError(.noFix, "the machine was suspended after the press (press again)"), at: now)
      handle(.failed(grant.request), at: now)
    }
  }

  /// Saves the ends of the time limits of authorizations, both as times of the present boot and in UTC. After a restart
  /// of the machine, only the time in UTC is usable.
  mutating func saveTimeLimits(at now: ClockReading) {
    clockOfEnds = now
    let records = authorization.limitedRecords
    if !records.isEmpty { disclosures.log.save(records, at: now.monotonic, &outputs) }
  }

  /// Records the end of an authorization with a time limit in the disclosure log (the log of fixes sent to apps), and
  /// notifies the owners (administrators).
  mutating func noteEnd(of right: Right, of app: AppID, _ status: AuthorizationStatus, at now: ClockReading) {
    disclosures.log.record(.rightEnd(of: right, status), of: app, at: now.monotonic, &outputs)
    outputs.log(
      .gateway, .notice, "the authorization for a time has ended",
      ["app": "\(app)", "right": right.rawValue, "status": status.rawValue])
    let notification = NotificationMessage.json {
      $0.app = app.name
      $0.name = configuration.policy.name(of: app)
      $0.event = NotificationMessage.rightEnded
      $0.shown = shownStatus(of: app).rawValue
      $0.time = now.utc.iso8601
    }
    owners.notifyOrKeep(notification, &outputs)
    owners.notify(.ownerApps, appJSON(app, at: now))
  }

  /// Checks that an owner (administrator) can give an app a status for a limited time.
  /// - Throws: The error for the owner, if the app already has this status or a greater one without a time limit.
  func requireLimit(
    _ app: AppID, _ status: AuthorizationStatus, for duration: Duration, at now: ClockReading
  ) throws(LineError) {
    guard authorization.timeLimit(of: app, status, lasting: duration, at: now.monotonic) == nil else { return }
    throw LineError(
      .badArgument,
      "cannot set an end: the app has this authorization without an end (DENY or RESET the app first)")
  }
}
