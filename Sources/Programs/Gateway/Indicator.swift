import Base
import Disclosure
import Hardware
import LineProtocol

/// The indicator LED, which shows that apps use the location, and the end of each use.
struct Indicator {
  /// The state of the gateway that decides the indication (the pattern of the LED).
  struct Demand: Hashable {
    var isLocked = false
    /// Whether a change of an authorization or of the kill switch is in force, but could not be saved. The gateway then
    /// sends no fixes to apps.
    var isUnsaved = false
    /// Whether a prompt (a question to the person at the button) is open.
    var hasPrompt = false
    /// The indication (the LED pattern) while apps receive updates (repeated fixes); nil if no app receives updates.
    var updates: Indication?
    /// Whether a grant (the permission for one fix) still waits for its fix.
    var isAcquiring = false
  }

  private var driver: IndicatorDriver
  /// The problem that makes the label of a button unreadable; nil if every label can be read.
  private let labelRestriction: LegibilityProblem?
  /// The apps that use the location. The value is the instant at which the LED stops showing the use.
  private var uses: [AppID: MonotonicInstant] = [:]
  /// The app of the last change of `uses`, and its value before this change; nil if the app was not in `uses`. The
  /// gateway restores the value if the fix cannot be sent.
  private var formerUse: (app: AppID, end: MonotonicInstant?)?
  /// The names of the pressed buttons whose release will give an app a fix.
  private var readyButtons: Set<String> = []
  /// The indication (the LED pattern) in the last notification to owners (administrators).
  private var reported = Indication.off
  /// The apps that used the location when `takeChangedUsers()` was last called.
  private var reportedUsers: Set<AppID> = []

  init(
    _ output: any IndicatorOutput, profile: IndicatorProfile, labelRestriction: LegibilityProblem?,
    at now: MonotonicInstant
  ) {
    driver = IndicatorDriver(output, profile: profile, at: now)
    self.labelRestriction = labelRestriction
  }

  /// Shows a short signal on the LED instead of the present indication (the LED pattern).
  /// - Parameter length: The duration of the signal; nil for the duration of its pattern.
  mutating func show(sign: Indication, for length: Duration? = nil, at now: MonotonicInstant) {
    driver.show(sign: sign, for: length, at: now)
  }

  /// Adds a pressed button whose release will give an app a fix.
  mutating func press(_ button: String) { readyButtons.insert(button) }

  /// Removes a button that was released, or whose press no longer has an effect.
  mutating func release(_ button: String) { readyButtons.remove(button) }

  /// Ends the indicated uses of the location, and shows the signal of the kill switch. The gateway calls this function
  /// after each change of the kill switch.
  mutating func changeLock(at now: MonotonicInstant) {
    uses = [:]
    driver.show(.off, at: now)
    driver.show(sign: .locked, at: now)
    reported = .off
  }

  /// Sets the LED to the level of its pattern at this instant.
  /// - Returns: Whether the wait for the sense input, which measures the LED, has ended. Waiting fixes can then be
  ///   sent.
  mutating func pass(to now: MonotonicInstant) -> Bool {
    let wasLagging = driver.isLagging
    driver.refresh(at: now)
    return wasLagging && !driver.isLagging
  }

  /// Chooses and shows the indication (the LED pattern) for the state of the gateway.
  /// - Returns: `changed` is the new indication; nil if the indication is the same as before. `isOnNow` is true if the
  ///   LED shows the use of the location since this call, so that waiting fixes can be sent.
  mutating func show(_ demand: Demand, at now: MonotonicInstant) -> (changed: Indication?, isOnNow: Bool) {
    uses = uses.filter { now < $0.value }
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
    return demand.isAcquiring || !readyButtons.isEmpty ? .acquiring : .off
  }

  func nextDeadline(after now: MonotonicInstant) -> MonotonicInstant? {
    ([driver.nextChange(after: now)] + uses.values.map { $0 }).compactMap(\.self).min()
  }

  /// Switches the indicator LED off. The gateway calls this function when the gateway stops.
  mutating func stop(at now: MonotonicInstant) {
    driver.clearSign()
    driver.show(.off, at: now)
  }

  // MARK: State

  /// Returns the indication (the LED pattern) as a JSON message for owners (administrators).
  static func json(_ indication: Indication, isLocked: Bool) -> String {
    JSONObject.text(["state": (isLocked ? .locked : indication).rawValue])
  }

  /// The chosen indication (LED pattern). A short signal can replace the indication on the LED for a moment.
  var shown: Indication { driver.shown }

  /// The pattern of the present indication, as phases with a lit or dark LED.
  var pattern: IndicatorPattern { driver.profile.pattern(shown) }

  /// Returns the indication (LED pattern) or the short signal that the LED shows at an instant.
  func visible(at now: MonotonicInstant) -> Indication { driver.visible(at: now) }

  /// Whether the LED is lit at this instant. A blinking LED is dark between two flashes.
  var isLit: Bool { driver.isLit }

  var colour: Colour { driver.profile.colour }

  /// The problem that prevents a person from seeing the indicator LED; nil if there is none.
  var visibilityRestriction: LegibilityProblem? { driver.restriction }

  /// The reason in the settings of the board why the light cannot be seen; nil if there is none. Unlike
  /// `visibilityRestriction`, the value does not depend on a use of the light.
  var lastingRestriction: LegibilityProblem? { driver.unfitness }

  /// The problem that forbids updates (repeated fixes) and requests; nil if there is none.
  ///
  /// The problem is an indicator LED that a person cannot see, or a button label that a person cannot read (row C6 of
  /// the authorization reference).
  var restriction: LegibilityProblem? { driver.restriction ?? labelRestriction }

  /// Returns whether the indicator LED shows that an app uses the location.
  func isUsing(_ app: AppID) -> Bool { uses[app] != nil }

  /// Returns the apps that have begun or ended their use of the location since the last call.
  mutating func takeChangedUsers() -> Set<AppID> {
    let former = reportedUsers
    reportedUsers = Set(uses.keys)
    return reportedUsers.symmetricDifference(former)
  }

  /// The instant at which the LED stops showing the last one-time use of the location; nil if the LED shows none.
  var lastUseEnd: MonotonicInstant? { uses.values.max() }

  /// Whether at least one app uses the location.
  var isUsed: Bool { !uses.isEmpty }

  /// Whether a button is pressed whose release will give an app a fix.
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
