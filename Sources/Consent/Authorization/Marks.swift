import Base
package import LineProtocol

/// A prompt (a question to the user) that the next press of a button answers, or a request that the next press serves.
enum MarkTarget: Hashable, Sendable {
  /// The identifier of the prompt that the next press of the button answers.
  case prompt(Int)
  /// The identifier of a request that the next press of the button serves.
  case request(RequestID)

  var request: RequestID? { if case .request(let request) = self { request } else { nil } }
}

/// The targets of the next press of one button: the prompt (a question to the user) that the press answers, or the
/// requests that the press serves. For each target, the value contains the instant since which the press has this
/// effect (authorization reference, row A9).
struct Mark: Sendable {
  private struct Former: Sendable {
    let target: MarkTarget
    let began: MonotonicInstant
    let ended: MonotonicInstant
  }

  private var targets: [MarkTarget: MonotonicInstant] = [:]
  /// The former targets of the next press: prompts and requests that were targets for at least 1 s. A press that began
  /// before the change still has the former effect.
  private var former: [Former] = []

  func contains(_ target: MarkTarget) -> Bool { targets[target] != nil }

  var requests: [RequestID] { targets.keys.compactMap(\.request) }

  mutating func move(to next: Set<MarkTarget>, at now: MonotonicInstant) {
    former.removeAll { $0.ended + Authorization.Bounds.latestPress <= now }
    for (target, began) in targets where !next.contains(target) {
      targets[target] = nil
      if began + Authorization.Bounds.markBeforePress <= now {
        former.append(Former(target: target, began: began, ended: now))
      }
    }
    for target in next where targets[target] == nil { targets[target] = now }
  }

  /// Returns the prompts and requests that were targets of the next press during the whole last second before `down`.
  ///
  /// - Parameter down: The instant at which the user pushed the button down.
  func targets(before down: MonotonicInstant) -> Set<MarkTarget> {
    let since = down - Authorization.Bounds.markBeforePress
    let ended = former.filter { $0.began <= since && down <= $0.ended }.map(\.target)
    return Set(targets.filter { $0.value <= since }.keys).union(ended)
  }
}

// The marks of the buttons. (row A9)
extension Authorization {
  /// Returns the prompt that the next press of a button answers, or the requests that the press serves; nil before the
  /// first event. All buttons that serve every app have the same mark.
  func mark(of button: String) -> Mark? { marks[configuration.boundApps[button] == nil ? nil : button] }

  /// Returns the requests that get a fix by the next press of a button, in the order of service.
  package func markedRequests(of button: String) -> [Arm] {
    (mark(of: button)?.requests ?? []).compactMap { arms[$0] }.sorted(by: isServedBefore)
  }

  /// Returns the apps that the next press of a button gives a fix, in the order of service.
  package func markedApps(of button: String) -> [AppID] {
    var apps: [AppID] = []
    for arm in markedRequests(of: button) where !apps.contains(arm.app) { apps.append(arm.app) }
    return apps
  }

  /// The apps for which only outputs (such as brokers or files) wait for a press of the button, sorted by identifier.
  package var eachPressApps: [AppID] { arms.apps.filter(isForEachPress).sorted() }

  /// Whether outputs of an app (such as brokers or files) wait for a press of the button, and nothing else of the app.
  package func isForEachPress(_ app: AppID) -> Bool {
    let waiting = arms.values(of: app)
    return !waiting.isEmpty && waiting.allSatisfy { $0.kind == .eachPress }
  }

  /// Whether the next press of a button serves a request of an app.
  package func isMarked(_ app: AppID, by button: String) -> Bool {
    guard let mark = mark(of: button) else { return false }
    return arms.keys(of: app).contains { mark.contains(.request($0)) }
  }

  /// Returns the prompt (a question to the user) that the next press of a button answers; nil if the press answers no
  /// prompt.
  package func markedPrompt(of button: String) -> Prompt? {
    atButton.flatMap { isButton(button, for: $0.prompt) ? $0.prompt : nil }
  }

  /// Computes the effect of the next press of each button after an event. Each call uses an instant that is not earlier
  /// than in the previous call, even if a press is handled late.
  mutating func moveMarks(at instant: MonotonicInstant) {
    let now = max(marksMoved ?? instant, instant)
    marksMoved = now
    if let due = nextPauseEnd, due <= now { areMarksOutdated = true }
    guard areMarksOutdated else { return }
    areMarksOutdated = false
    for button in [nil] + configuration.boundApps.keys.map(Optional.some) {
      marks[button, default: Mark()].move(to: targets(of: button, at: now), at: now)
    }
    // A request can get the mark when the pause of its app's prompts ends.
    let paused = arms.apps.filter { needsPrompt($0) && isPaused($0, at: now) }
    nextPauseEnd = paused.compactMap { record(of: $0).promptPause?.until }.min()
  }

  private func targets(of button: String?, at now: MonotonicInstant) -> Set<MarkTarget> {
    if let turn { return turn.since == nil ? [] : [.prompt(turn.prompt)] }
    let candidates = arms.values.filter { arm in button.map { isButton($0, for: arm.app) } ?? true }
    return Set(armsToServe(from: candidates, at: now).map { .request($0.request) })
  }
}
