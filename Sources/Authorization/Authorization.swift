package import Clocks

/// Who may know where this is: every app's state, what is armed, granted and asked. The contract is
/// `authorization.md`; the letters and numbers in the comments are its rows.
///
/// A pure value: an event goes in, effects come out. It reads no clock and does no I/O; its property tests hold it to
/// the invariants of the contract after every event.
package struct Authorization: Sendable {
  /// What the owner configures.
  package struct Configuration: Hashable, Sendable {
    /// One press serves every app that needs no prompt, instead of one.
    package var pressServesAll = false
    /// How long an app stays armed that does not say.
    package var armTimeout: Duration = .seconds(300)
    /// Which apps a button is for; a button that is not listed is for every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// Apps whose status is `restricted`, whatever is stored of them.
    package var restrictedApps: Set<AppID> = []
    /// What a new app may know; `reduced` holds for one that is known already, too.
    package var newAppAccuracy: [AppID: Accuracy] = [:]
    package var defaultAccuracy: Accuracy = .full

    package init() {}
  }

  /// The bounds of the contract.
  package enum Bounds {
    /// An app must have been armed for that long when the button goes down.
    package static let armBeforePress: Duration = .milliseconds(300)
    /// A grant's life, from the release.
    package static let grantLife: Duration = .seconds(60)
    /// After a one-time grant ended, presses serve nobody for that long (A8).
    package static let rest: Duration = .seconds(2)
    package static let promptLife: Duration = .seconds(10)
    /// A press answers a prompt only if it begins at least that long after the prompt was shown, and serves somebody
    /// only if it begins at least that long after a prompt was closed by anything but a press.
    package static let promptGuard: Duration = .seconds(1)
    /// Pause of prompts that the button causes (A1, A4) after one that nobody answered; doubles up to a day.
    package static let firstPause: Duration = .seconds(600)
    package static let longestPause: Duration = .seconds(86_400)
    package static let longestArm: Duration = .seconds(3600)
  }

  package let configuration: Configuration
  package internal(set) var records: [AppID: AppRecord]
  package internal(set) var isLocked: Bool
  package internal(set) var sessions: [SessionID: AppID] = [:]
  package internal(set) var arms: [AppID: Arm] = [:]
  package internal(set) var grants: [RequestID: Grant] = [:]
  package internal(set) var prompt: Prompt?

  var lastPromptID = 0
  /// When a prompt was last closed by anything but a press.
  var promptClosed: MonotonicInstant?
  /// When a one-time grant last ended.
  var oneTimeGrantEnded: MonotonicInstant?
  /// The hold that answered a prompt and threw nothing yet.
  var answeringHold: Hold?
  /// When the lock was thrown; nil where it was before the start.
  var lockThrown: MonotonicInstant?

  package init(configuration: Configuration = Configuration(), records: [AppRecord] = [], isLocked: Bool = false) {
    self.configuration = configuration
    self.records = Dictionary(records.map { ($0.app, $0) }) { _, latest in latest }
    // What the owner has lowered since holds for apps that are known already; nothing is raised that way.
    for app in self.records.keys where configuration.newAppAccuracy[app] == .reduced {
      self.records[app]?.accuracy = .reduced
    }
    self.isLocked = isLocked
  }

  // MARK: What is known

  /// The app's record, or the one that a new app gets.
  package func record(of app: AppID) -> AppRecord {
    records[app]
      ?? AppRecord(app: app, accuracy: configuration.newAppAccuracy[app] ?? configuration.defaultAccuracy)
  }

  package func status(of app: AppID) -> Status {
    configuration.restrictedApps.contains(app) ? .restricted : record(of: app).status
  }

  /// The status as the app may see it.
  package func visibleStatus(of app: AppID) -> Status {
    let record = record(of: app)
    return record.isProvisional && status(of: app) == .whenInUse ? .always : status(of: app)
  }

  /// Whether a one-time grant waits for its fix.
  package var isOneTimeGrantInFlight: Bool { grants.values.contains { $0.right == .once } }

  /// When `timePassed` has something to do.
  package var nextDeadline: MonotonicInstant? {
    var deadline = prompt?.deadline
    for arm in arms.values { deadline = min(deadline ?? arm.deadline, arm.deadline) }
    for grant in grants.values { deadline = min(deadline ?? grant.expires, grant.expires) }
    return deadline
  }

  // MARK: Events

  /// Takes an event that is handled now. Time never runs backward from one call to the next.
  package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .pressed(let press, _): expire(at: press.up, into: &effects)
    default: expire(at: now, into: &effects)
    }
    switch event {
    case .sessionOpened(let session, let app):
      sessions[session] = app
    case .sessionEnded(let session):
      guard let app = sessions.removeValue(forKey: session) else { break }
      endRequest(of: app, in: session, .sessionEnded, at: now, into: &effects)
    case .requested(let request, let session, let timeout):
      take(request, from: session, timeout: timeout, at: now, into: &effects)
    case .cancelled(let session):
      guard let app = sessions[session] else { break }
      endRequest(of: app, in: session, .cancelled, at: now, into: &effects)
    case .pressed(let press, let illegible):
      take(press, illegible: illegible, at: now, into: &effects)
    case .held(let hold):
      take(hold, at: now, into: &effects)
    case .answered(let id, let yes):
      guard let prompt, prompt.id == id else { break }
      answer(prompt, yes: yes, by: nil, at: now, into: &effects)
    case .lockOrdered:
      lock(at: now, into: &effects)
    case .served(let request), .failed(let request):
      if let grant = grants[request] { end(grant, at: now) }
    case .timePassed:
      break
    }
    return effects
  }

  // MARK: Requests

  private mutating func take(
    _ request: RequestID, from session: SessionID, timeout: Duration, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let app = sessions[session] else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // D4
    if arms[app] != nil || grants.values.contains(where: { $0.app == app }) {
      return effects.append(.refuse(request, .alreadyArmed))
    }
    if needsPrompt(app), let pause = record(of: app).promptPause, now < pause.until {
      return effects.append(.refuse(request, .tooSoon(retryAfter: pause.until - now)))
    }
    let timeout = min(max(timeout, .zero), Bounds.longestArm)
    arms[app] = Arm(request: request, session: session, app: app, accepted: now, deadline: now + timeout)
    effects.append(.accept(request))
  }

  /// Ends what a session has armed, asked or been granted.
  mutating func endRequest(
    of app: AppID, in session: SessionID, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    if let arm = arms[app], arm.session == session { disarm(arm, ending, at: now, into: &effects) }
    for grant in grants.values.sorted(by: { $0.request < $1.request }) where grant.session == session {
      end(grant, at: now)
      effects.append(.end(grant.request, ending))
    }
  }

  /// Takes an arm back, and with it the prompt that asks for it.
  mutating func disarm(_ arm: Arm, _ ending: Ending, at now: MonotonicInstant, into effects: inout [Effect]) {
    arms[arm.app] = nil
    if let prompt, prompt.app == arm.app { close(prompt, .withdrawn, byPress: false, at: now, into: &effects) }
    effects.append(.end(arm.request, ending))
  }

  mutating func end(_ grant: Grant, at now: MonotonicInstant) {
    grants[grant.request] = nil
    if grant.right == .once { oneTimeGrantEnded = now }
  }

  /// Ends whatever has reached its time, one after the other: what ends first may end another thing with it.
  private mutating func expire(at instant: MonotonicInstant, into effects: inout [Effect]) {
    while let due = nextDeadline, due <= instant {
      if let prompt, prompt.deadline == due { leaveUnanswered(prompt, at: due, into: &effects) }
      for arm in arms.values.sorted(by: { $0.request < $1.request }) where arm.deadline == due {
        disarm(arm, .noPress, at: due, into: &effects)
      }
      for grant in grants.values.sorted(by: { $0.request < $1.request }) where grant.expires == due {
        end(grant, at: due)
        effects.append(.end(grant.request, .expired))
      }
    }
  }

  // MARK: The kill switch

  /// D2: every grant and request ends, undelivered fixes are erased, nothing is given until a hold unlocks.
  mutating func lock(at now: MonotonicInstant, into effects: inout [Effect]) {
    guard !isLocked else { return }
    isLocked = true
    lockThrown = now
    effects.append(.eraseUndelivered)
    // Before anybody is told: after a power cut the gateway may not be less locked than it said.
    effects.append(.saveLock(true))
    if let prompt { close(prompt, .locked, byPress: false, at: now, into: &effects) }
    for grant in grants.values.sorted(by: { $0.request < $1.request }) {
      end(grant, at: now)
      effects.append(.end(grant.request, .locked))
    }
    for arm in arms.values.sorted(by: { $0.request < $1.request }) { disarm(arm, .locked, at: now, into: &effects) }
    effects.append(.announceLock(true))
  }

  mutating func unlock(into effects: inout [Effect]) {
    isLocked = false
    lockThrown = nil
    effects.append(.saveLock(false))
    effects.append(.announceLock(false))
  }
}
