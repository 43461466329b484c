import Authorization
import Base
import Disclosure
import Hardware
import LineProtocol

/// The indicator with its present indication, and the apps that use the location now.
struct Indicator {
  /// The reasons for an indication, the most important reason first.
  struct Demand: Hashable {
    var isLocked = false
    /// Whether a change of an authorization or of the kill switch is in force, but not saved. Nothing is disclosed
    /// then.
    var isUnsaved = false
    /// Whether a prompt is open.
    var hasPrompt = false
    /// The indication for running updates; nil if no updates run.
    var updates: Indication?
    /// Whether a granted request waits for its fix.
    var isAcquiring = false
  }

  /// The duration of the indication for a notification of the owners.
  static let notificationTime: Duration = .seconds(3)

  private var driver: IndicatorDriver
  /// The reason why the label of a button cannot be read; nil if every label can be read.
  private let labelRestriction: LegibilityRestriction?
  /// For each app, the time until which the indicator shows that the app uses the location.
  private var uses: [AppID: MonotonicInstant] = [:]
  /// The last change of `uses`: the app, and the app's time before the change. If the disclosure fails, the gateway
  /// restores the previous time. This time is nil if the app did not use the location before the change.
  private var formerUse: (app: AppID, end: MonotonicInstant?)?
  /// The end of the indication for a notification of the owners; nil without such an indication.
  private var notifiedUntil: MonotonicInstant?
  /// The pressed buttons whose release would grant a fix to an app.
  private var readyButtons: Set<String> = []
  /// The indication of which the owners were notified last.
  private var reported = Indication.off
  /// The apps that used the location at the last call of `takeChangedUsers`.
  private var reportedUsers: Set<AppID> = []

  init(
    _ output: any IndicatorOutput, profile: IndicatorProfile, labelRestriction: LegibilityRestriction?,
    at now: MonotonicInstant
  ) {
    driver = IndicatorDriver(output, profile: profile, at: now)
    self.labelRestriction = labelRestriction
  }

  /// Shows a short signal over the indication.
  /// - Parameter length: The duration of the signal; nil for the usual duration.
  mutating func show(sign: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    driver.show(sign: sign, for: length, at: now)
  }

  /// Notes that the release of a pressed button would grant a fix to an app.
  mutating func press(_ button: String) { readyButtons.insert(button) }

  /// Notes that a button was released, or that its press has no effect any more.
  mutating func release(_ button: String) { readyButtons.remove(button) }

  /// Shows that the owners received a notification, unless a more important indication is necessary.
  mutating func showNotification(at now: MonotonicInstant) { notifiedUntil = now + Self.notificationTime }

  /// Ends every use, because the kill switch was switched on or off.
  mutating func changeLock(at now: MonotonicInstant) {
    uses = [:]
    driver.show(.off, at: now)
    driver.show(sign: .locked, at: now)
    reported = .off
  }

  /// Drives the output to the level of this time.
  /// - Returns: Whether the sense input has confirmed the indicator since the last call, so that waiting fixes can be
  ///   sent.
  mutating func pass(to now: MonotonicInstant) -> Bool {
    let wasLagging = driver.isLagging
    driver.refresh(at: now)
    return wasLagging && !driver.isLagging
  }

  /// Shows the indication for the most important reason.
  /// - Returns: The indication of which the owners must be notified; nil if it has not changed. Also whether the
  ///   indicator was switched on, so that waiting fixes can be sent. Updates are sent only while the indicator is on.
  mutating func show(_ demand: Demand, at now: MonotonicInstant) -> (changed: Indication?, isOnNow: Bool) {
    uses = uses.filter { now < $0.value }
    if let end = notifiedUntil, end <= now { notifiedUntil = nil }
    let indication = indication(for: demand)
    let wasOn = driver.isOn(at: now)
    if indication != driver.shown { driver.show(indication, at: now) } else { driver.refresh(at: now) }
    defer { reported = indication }
    return (indication == reported ? nil : indication, !wasOn && driver.isOn(at: now))
  }

  private func indication(for demand: Demand) -> Indication {
    if demand.isLocked { return demand.isUnsaved ? .notSaved : .off }
    if !uses.isEmpty { return .inUse }
    // An open prompt comes before updates and waiting apps, because the person has to see the prompt.
    if demand.hasPrompt { return .prompt }
    if demand.isUnsaved { return .notSaved }
    if let updates = demand.updates { return updates }
    if demand.isAcquiring || !readyButtons.isEmpty { return .acquiring }
    return notifiedUntil == nil ? .off : .prompt
  }

  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    ([driver.nextChange(after: now), notifiedUntil] + uses.values.map { $0 }).compactMap(\.self).min()
  }

  /// Switches the indicator off.
  mutating func stop(at now: MonotonicInstant) {
    driver.clearSign()
    driver.show(.off, at: now)
  }

  // MARK: State

  /// Returns the state of the indicator as JSON for owners.
  static func json(_ indication: Indication, isLocked: Bool) -> String {
    JSONObject.text(["state": (isLocked ? .locked : indication).rawValue])
  }

  /// The present indication. A short signal can cover it for a moment.
  var shown: Indication { driver.shown }

  /// The pattern of the present indication.
  var pattern: IndicatorPattern { driver.profile.pattern(shown) }

  /// The indication or short signal that a person sees now.
  func visible(at now: MonotonicInstant) -> Indication { driver.visible(at: now) }

  /// Whether the output is lit at this moment, which depends on the pattern of the indication.
  var isLit: Bool { driver.isLit }

  var colour: Colour { driver.profile.colour }

  /// The reason why the indicator is not visible; nil if it is visible.
  var visibilityRestriction: LegibilityRestriction? { driver.restriction }

  /// The reason why updates and requests must stop; nil if they may continue. See row C6 of the authorization reference
  /// (legibility). The reason is that a person cannot see that the location is in use, or cannot read the label of the
  /// button that ends the use.
  var restriction: LegibilityRestriction? { driver.restriction ?? labelRestriction }

  /// Returns whether the indicator shows that an app uses the location.
  func isUsing(_ app: AppID) -> Bool { uses[app] != nil }

  /// Returns the apps that began or stopped to use the location since the last call.
  mutating func takeChangedUsers() -> Set<AppID> {
    let former = reportedUsers
    reportedUsers = Set(uses.keys)
    return reportedUsers.symmetricDifference(former)
  }

  /// Whether an app uses the location.
  var isUsed: Bool { !uses.isEmpty }

  /// Whether the release of a pressed button would grant a fix to an app.
  var isButtonReady: Bool { !readyButtons.isEmpty }
}

extension Indicator: DisclosureIndicator {
  mutating func showUse(by app: AppID, until end: MonotonicInstant, at now: MonotonicInstant) -> IndicatorState {
    driver.clearSign()
    driver.show(.inUse, at: now)
    formerUse = (app, uses[app])
    uses[app] = max(uses[app] ?? end, end)
    if driver.isLagging { return .unseen }
    guard driver.restriction == nil, driver.isOn(at: now) else {
      return .dark(driver.restriction?.remedy ?? "the indicator is not on")
    }
    return .on
  }

  mutating func endUse(by app: AppID) {
    if let formerUse, formerUse.app == app { uses[app] = formerUse.end }
  }

  func stateOfUpdates(at now: MonotonicInstant) -> IndicatorState {
    if let restriction { return .dark(restriction.remedy) }
    return !driver.isLagging && driver.isOn(at: now) ? .on : .unseen
  }

  var labelRemedy: String? { labelRestriction?.remedy }
}
