import Authorization
import Clocks
import Hardware

/// Values that depend only on the authorization. There can be thousands of streams of updates, so the values are not
/// computed again at each event. `EncodedUpdates` has the figure. A summary is valid until the authorization changes.
struct AuthorizationSummary {
  private var knownDemand: Indicator.Demand?
  private var knownMarks: [AppID: [String]]?
  private var knownDeadline: MonotonicInstant??
  private var indications: [AppID: Indication] = [:]

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

  /// Returns the indication that the requests of an app cause.
  mutating func indication(of app: AppID, _ authorization: Authorization) -> Indication {
    if let known = indications[app] { return known }
    let indication = Self.indication(of: app, authorization)
    indications[app] = indication
    return indication
  }

  private static func indication(of app: AppID, _ authorization: Authorization) -> Indication {
    // The indication stays the same while the prompt is open.
    if authorization.isAsking(app) || authorization.prompts.contains(where: { $0.app == app && $0.press != nil }) {
      return .prompt
    }
    if authorization.seemsToAcquire(app) { return .acquiring }
    let own = authorization.updates.values.filter { $0.app == app }
    if !own.isEmpty { return own.contains { authorization.isInSight($0.session) } ? .inUse : .background }
    return authorization.grants.values.contains { $0.app == app } ? .acquiring : .off
  }
}
