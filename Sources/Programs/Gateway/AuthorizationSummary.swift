import Authorization
import Clocks
import Hardware

/// Values that depend only on the authorization. There can be thousands of streams of updates, so the values are not
/// computed again at each event. `EncodedUpdates` has the figure. A summary is valid until the authorization changes.
struct AuthorizationSummary {
  private var knownDemand: Indicator.Demand?
  private var knownMarks: [AppID: [String]]?
  private var knownDeadline: MonotonicInstant??
  private var knownIndications: [AppID: Indication]?

  mutating func demand(of authorization: Authorization) -> Indicator.Demand {
    if let knownDemand { return knownDemand }
    let isInSight = authorization.updates.keys.contains { authorization.isInSight($0) }
    let demand = Indicator.Demand(
      isLocked: authorization.isLocked, hasPrompt: authorization.prompt != nil,
      updates: authorization.updates.isEmpty ? nil : isInSight ? .inUse : .background,
      isAcquiring: !authorization.grants.isEmpty)
    knownDemand = demand
    return demand
  }

  /// Returns the names of the buttons whose next press serves an app, by the app.
  mutating func marks(of authorization: Authorization, _ buttons: some Sequence<String>) -> [AppID: [String]] {
    if let knownMarks { return knownMarks }
    var marks: [AppID: [String]] = [:]
    for button in buttons {
      for arm in authorization.markedRequests(of: button) { marks[arm.app, default: []].append(button) }
    }
    knownMarks = marks
    return marks
  }

  mutating func deadline(of authorization: Authorization) -> MonotonicInstant? {
    if let knownDeadline { return knownDeadline }
    let deadline = authorization.nextDeadline
    knownDeadline = .some(deadline)
    return deadline
  }

  /// Returns the indications that the requests of apps cause, by app. Other apps have the indication `off`.
  mutating func indications(of authorization: Authorization) -> [AppID: Indication] {
    if let knownIndications { return knownIndications }
    // A later assignment has precedence.
    var indications: [AppID: Indication] = [:]
    for grant in authorization.grants.values { indications[grant.app] = .acquiring }
    for running in authorization.updates.values { indications[running.app] = .background }
    for running in authorization.updates.values where authorization.isInSight(running.session) {
      indications[running.app] = .inUse
    }
    for app in authorization.acquiringApps { indications[app] = .acquiring }
    // The indication stays the same while the prompt is open.
    for prompt in authorization.prompts where prompt.press != nil { indications[prompt.app] = .prompt }
    for app in authorization.asks.keys { indications[app] = .prompt }
    knownIndications = indications
    return indications
  }
}
