import LineProtocol
import Base
import Disclosure
import Hardware

/// The indicator: the LED that shows when apps use the location, and the times until which they use it.
struct Indicator {
  /// The conditions from which the gateway chooses the indication (the pattern of the LED), the most important
  /// condition first.
  struct Demand: Hashable {
    var isLocked = false
    /// Whether a change of an authorization or of the kill switch applies, but could not be saved. No location is sent
    /// to apps then.
    var isUnsaved = false
    /// Whether a prompt (a question to the person at the button) is open.
    var hasPrompt = false
    /// The indication (the LED pattern) while apps receive updates (repeated fixes); nil if no app receives updates.
    var updates: Indication?
    /// Whether a request has got its press of the button, but not its fix yet.
    var isAcquiring = false
  }

  /// The time for which the LED shows that the owners got a notification.
  static let notificationTime: Duration = .seconds(3)

  private var driver: IndicatorDriver
  /// The reason why a person cannot read the label of a button; nil if every label can be read.
  private let labelRestriction: LegibilityProblem?
  /// The apps that use the location, each with the end of the time for which the indicator LED shows this use.
  private var uses: [AppID: MonotonicInstant] = [:]
  /// The app of the last change of `uses`, with its former end; nil if the app was not in `uses`. If the fix cannot be
  /// sent, the gateway restores this end.
  private var formerUse: (app: AppID, end: MonotonicInstant?)?
  /// The end of the time for which the LED shows a notification of the owners; nil if the LED shows none.
  private var notifiedUntil: MonotonicInstant?
  /// The names of the buttons that are down and whose release would give an app a fix.
  private var readyButtons: Set<String> = []
  /// The indication (the LED pattern) in the last notification to owners.
  private var reported = Indication.off
  /// The apps that used the location at the last call of `takeChangedUsers()`.
  private var reportedUsers: Set<AppID> = []

  init(
    _ output: any IndicatorOutput, profile: IndicatorProfile, labelRestriction: LegibilityProblem?,
    at now: MonotonicInstant
  ) {
    driver = IndicatorDriver(output, profile: profile, at: now)
    self.labelRestriction = labelRestriction
  }

  /// Shows a short signal on the LED in place of the present indication.
  /// - Parameter length: The duration of the signal; nil for the usual duration.
  mutating func show(sign: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    driver.show(sign: sign, for: length, at: now)
  }

  /// Records that a button is down and that its release would give an app a fix.
  mutating func press(_ button: String) { readyButtons.insert(button) }

  /// Records that the button was released, or that its press no longer has an effect.
  mutating func release(_ button: String) { readyButtons.remove(button) }

  /// Shows on the LED that the owners got a notification, unless a more important indication is necessary.
  mutating func showNotification(at now: MonotonicInstant) { notifiedUntil = now + Self.notificationTime }

  /// Clears the apps that use the location, and shows the signal of the kill switch. Called when the kill switch was
  /// switched on or off.
  mutating func changeLock(at now: MonotonicInstant) {
    uses = [:]
    driver.show(.off, at: now)
    driver.show(sign: .locked, at: now)
    reported = .off
  }

  /// Sets the LED to its level for this instant.
  /// - Returns: Whether the sense input, which reads the LED, has confirmed the LED since the last call. Waiting fixes
  ///   can then be sent.
  mutating func pass(to now: MonotonicInstant) -> Bool {
    let wasLagging = driver.isLagging
    driver.refresh(at: now)
    return wasLagging && !driver.isLagging
  }

  /// Shows the indication (LED pattern) for the most important condition.
  /// - Returns: `changed` is the indication for the notification of the owners; nil if it has not changed. `isOnNow`
  ///   says whether this call switched the indicator LED on, so that waiting fixes can be sent.
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

  /// Switches the indicator LED off. Called when the gateway stops.
  mutating func stop(at now: MonotonicInstant) {
    driver.clearSign()
    driver.show(.off, at: now)
  }

  // MARK: State

  /// Returns the indication (the LED pattern) as JSON, for messages to owners.
  static func json(_ indication: Indication, isLocked: Bool) -> String {
    JSONObject.text(["state": (isLocked ? .locked : indication).rawValue])
  }

  /// The present indication (LED pattern), even if a short signal replaces it at this instant.
  var shown: Indication { driver.shown }

  /// The pattern of the present indication: when the LED is lit and when it is dark.
  var pattern: IndicatorPattern { driver.profile.pattern(shown) }

  /// Returns the indication (LED pattern) or the short signal that the LED shows at an instant.
  func visible(at now: MonotonicInstant) -> Indication { driver.visible(at: now) }

  /// Whether the LED is lit at this instant. A blinking LED is sometimes dark.
  var isLit: Bool { driver.isLit }

  var colour: Colour { driver.profile.colour }

  /// The reason why a person cannot see the indicator LED; nil if a person can see it.
  var visibilityRestriction: LegibilityProblem? { driver.restriction }

  /// The reason why updates and requests must stop; nil if they may continue.
  ///
  /// A person cannot see the indicator LED, or cannot read the label of the button that ends the use (row C6 of the
  /// authorization reference).
  var restriction: LegibilityProblem? { driver.restriction ?? labelRestriction }

  /// Returns whether the indicator LED shows that an app uses the location.
  func isUsing(_ app: AppID) -> Bool { uses[app] != nil }

  /// Returns the apps that have begun or ended their use of the location since the last call.
  mutating func takeChangedUsers() -> Set<AppID> {
    let former = reportedUsers
    reportedUsers = Set(uses.keys)
    return reportedUsers.symmetricDifference(former)
  }

  /// Whether an app uses the location.
  var isUsed: Bool { !uses.isEmpty }

  /// Whether a button is down and its release would give an app a fix.
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
