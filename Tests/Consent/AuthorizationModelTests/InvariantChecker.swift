import AppStandings
import Base
import LineProtocol

@testable import Authorization

/// The invariants of the contract, checked after every event without the model.
struct InvariantChecker {
  /// The saved records; they must always equal the records of the authorization.
  var kept: [AppID: AppRecord]
  var isLockSaved = false
  let servesAll: Bool
  /// The instant at which each request was armed.
  private var armed: [RequestID: Int64] = [:]
  private var lastEdge = Int64.min / 2
  /// The instant of the user's last act in each session.
  private var lastAct: [SessionID: Int64] = [:]
  private var lastCheck = Int64.min / 2
  /// The one-time uses that the light showed: the first instant, and the end.
  private var uses: [(from: Int64, until: Int64)] = []
  /// The differences and violations that were found.
  var violations: [String] = []
  /// The state that owners saw after the latest event, with those before it. The exhaustive tests copy the checker for
  /// every event, and the copies share the former states.
  private var seen: Seen?

  private final class Seen: Sendable {
    let time: Int64
    let authorization: Authorization
    let former: Seen?

    init(_ time: Int64, _ authorization: Authorization, after former: Seen?) {
      self.time = time
      self.authorization = authorization
      self.former = former
    }
  }

  init(records: [AppRecord], servesAll: Bool) {
    kept = Dictionary(uniqueKeysWithValues: records.map { ($0.app, $0) })
    self.servesAll = servesAll
  }

  mutating func restart() {
    armed = [:]
    lastEdge = Int64.min / 2
    lastAct = [:]
    lastCheck = Int64.min / 2
    uses = []
    seen = nil
  }

  mutating func check(
    _ event: ModelEvent, _ now: Int64, _ before: Authorization, _ after: Authorization, _ effects: [Effect]
  ) {
    recordEdges(event, now)
    var pressed: [Grant] = []
    checkOrder(effects, before, now)
    for effect in effects {
      switch effect {
      case .save(let record): kept[record.app] = record
      case .forget(let app): kept[app] = nil
      case .saveLock(let isLocked): isLockSaved = isLocked
      case .accept(let request): armed[request] = now
      case .announceLock(let isLocked):
        for index in uses.indices { uses[index].until = min(uses[index].until, now) }
        if isLockSaved != isLocked { violations.append("a lock was announced before it was saved") }
      case .serve(let grant):
        if grant.press != nil { pressed.append(grant) }
        if kept[grant.app] != after.records[grant.app] {
          violations.append("6: \(grant.app) was served before the record was saved")
        }
        check(grant, event, now, before, after)
      case .begin(let updates):
        if kept[updates.app] != after.records[updates.app] {
          violations.append("6: updates began before the record was saved")
        }
      case .checkLegibility: lastCheck = now
      case .acquire, .ask, .present, .refuse, .end, .withhold, .eraseUndelivered, .notifyPress, .announce,
        .notifyRegion, .notifyOwners, .endSession, .show, .close, .recordAnswer, .recordEnd, .blip:
        break
      }
    }
    if case .legible = event { lastCheck = now }
    seen = Seen(now, after, after: seen)
    if case .used(let end) = event, now < end { uses.append((now, end)) }
    checkButton(now, before, after)
    checkLight(event, before, after, effects)
    recordUserActs(event, now, before, effects)
    let explicit = pressed.filter { before.arms[$0.request]?.kind != .eachPress }
    if pressed.count > 1, !servesAll, Set(pressed.map(\.app)).count > 1 || !explicit.isEmpty {
      violations.append("2: a press gave \(pressed.count) fixes")
    }
    if explicit.count > Set(explicit.map(\.app)).count { violations.append("2: a press gave an app two fixes") }
    if !Set(explicit.map(\.app)).isDisjoint(with: pressed.filter { !explicit.contains($0) }.map(\.app)) {
      violations.append("2: a press served an output beside a client of the same app")
    }
    if kept != after.records { violations.append("6: the saved records differ from the records") }
    if isLockSaved != after.isLocked { violations.append("6: the lock is not saved") }
    checkRights(event, now, before, after, effects)
    checkVisibleStatus(before, after, effects)
    checkLock(after)
    checkImplicit(now, after)
    checkActivities(after)
    // A press is handled as of its release. Effects that became due after that follow with the next event.
    let due = after.nextDeadline?.nanoseconds ?? .max
    if case .pressed = event, due <= now { return }
    if due < now { violations.append("a past deadline was not handled") }
    checkUse(now, after)
  }

  /// Checks that no app, owner or display learns of an event before its changes are saved. Deadlines that passed before
  /// the event are handled first, like an event of their own.
  private mutating func checkOrder(_ effects: [Effect], _ before: Authorization, _ now: Int64) {
    let isDue = before.nextDeadline.map { $0.nanoseconds <= now } ?? false
    let runs = zip(effects, effects.dropFirst()).count { !$0.isStored && $1.isStored }
    if runs > (isDue ? 1 : 0) { violations.append("6: an effect precedes a change of the stored state: \(effects)") }
  }

  private mutating func recordEdges(_ event: ModelEvent, _ now: Int64) {
    switch event {
    case .edge(let time): lastEdge = max(lastEdge, time)
    case .pressed(_, _, let up, _, _): lastEdge = max(lastEdge, up)
    case .held: lastEdge = max(lastEdge, now)
    default: break
    }
  }

  /// Records acts of the user: a press that served the app, an answered prompt, or an owner's `use APP`.
  private mutating func recordUserActs(_ event: ModelEvent, _ now: Int64, _ before: Authorization, _ effects: [Effect])
  {
    for effect in effects {
      switch effect {
      case .serve(let grant):
        if let up = grant.press?.up.nanoseconds { lastAct[grant.session] = max(lastAct[grant.session] ?? up, up) }
      case .close(let prompt, .yes):
        let time = if case .pressed(_, _, let up, _, _) = event { up } else { now }
        for (id, session) in before.sessions where session.app == prompt.app {
          lastAct[id] = max(lastAct[id] ?? time, time)
        }
      default: break
      }
    }
    switch event {
    case .use(let app):
      for (id, session) in before.sessions where session.app == names[app] { lastAct[id] = now }
    case .slept(let total):
      let time = max(0, total - before.suspended.clampedNanoseconds)
      lastAct = lastAct.mapValues { $0 - time }
    default: break
    }
  }

  /// Checks invariant 2: a fix for a press needs an arm that owners saw marked throughout the second before the down
  /// edge, and a grant of at most 60 s after the release. Checks invariant 1: other fixes need a standing right.
  private mutating func check(
    _ grant: Grant, _ event: ModelEvent, _ now: Int64, _ before: Authorization, _ after: Authorization
  ) {
    if before.isLocked || after.isLocked { violations.append("1: a fix was served while locked") }
    if grant.expires.nanoseconds <= now, grant.press != nil {
      violations.append("2: a fix was served after the end of its grant")
    }
    guard let press = grant.press else {
      let isStanding =
        switch grant.right {
        case .always: after.status(of: grant.app) == .always
        case .whenInUse: after.status(of: grant.app) == .whenInUse && after.isInUse(grant.session)
        case .allowedOnce: after.sessions[grant.session]?.allowedOnce != nil
        case .once: false
        }
      if !isStanding { violations.append("1: a fix was served without a press or a standing right") }
      if grant.notBefore.nanoseconds < now - 60 * second { violations.append("an old fix may be served") }
      return
    }
    switch event {
    case .pressed(_, let down, let up, _, _):
      let life = grant.isPolled ? min(up + 60 * second, max(up, now) + 2 * second) : up + 60 * second
      if press.down.nanoseconds != down || grant.expires.nanoseconds != life {
        violations.append("2: the grant belongs to another press")
      }
    case .answered(_, let answer) where answer.choice == .yes:
      if press != before.prompt?.press { violations.append("2: the grant belongs to another press") }
    default: violations.append("2: a fix was served without an act of the user")
    }
    guard let since = armed.removeValue(forKey: grant.request) else {
      return violations.append("2: a request was served twice or without an arm")
    }
    let down = press.down.nanoseconds
    if since > down - second { violations.append("2: the app was armed too late") }
    guard before.prompt == nil else { return }
    // The times do not decrease from state to state.
    var state = seen
    while let shown = state, down - second < shown.time {
      if shown.time < down,
        !shown.authorization.markedRequests(of: press.button).contains(where: { $0.request == grant.request })
      {
        violations.append("2: owners did not see the mark on the request")
        break
      }
      state = shown.former
    }
  }

  /// Checks that a prompt that no press opened does not receive a press with another meaning.
  private mutating func checkButton(_ now: Int64, _ before: Authorization, _ after: Authorization) {
    guard let prompt = after.prompt, prompt.press == nil else { return }
    let bound = after.configuration.boundApps.values
    // A press can serve no restricted app, and no app that no button serves.
    let armed = after.arms.values.contains { arm in
      !arm.isImplicit && after.status(of: arm.app) != .restricted
        && (after.configuration.hasButtonForAllApps || bound.contains { $0.contains(arm.app) })
    }
    if armed || after.grants.values.contains(where: { $0.press != nil }) {
      violations.append("the button answers a prompt while an app is armed or gets a fix")
    }
    if prompt != before.prompt, now - lastEdge < 2 * second {
      violations.append("the button began to answer a prompt within 2 s of an edge")
    }
  }

  /// Checks that a press answers a prompt only if the light showed no one-time use in the second before its down edge.
  private mutating func checkLight(
    _ event: ModelEvent, _ before: Authorization, _ after: Authorization, _ effects: [Effect]
  ) {
    guard case .pressed(_, let down, _, _, _) = event,
      uses.contains(where: { $0.from < down && down - second < $0.until })
    else { return }
    // An earlier press can have answered the prompt. If no second press follows it, its answer becomes due before this
    // press.
    let answers = effects.contains { effect in
      guard case .recordAnswer(let prompt, let choice, _) = effect else { return false }
      return before.firstPress(for: prompt.id) == nil || choice == .whileUsing
    }
    let isFirst = after.prompts.contains {
      before.firstPress(for: $0.id) == nil && after.firstPress(for: $0.id) != nil
    }
    if answers || isFirst { violations.append("a press answered a prompt while the light showed a use") }
  }

  /// Checks invariants 5 and 6: rights change only by an answer or an owner, and grow only by a positive answer or an
  /// owner.
  private mutating func checkRights(
    _ event: ModelEvent, _ now: Int64, _ before: Authorization, _ after: Authorization, _ effects: [Effect]
  ) {
    var ordered: AppID?
    switch event {
    case .setStatus(let app, _, _), .setAccuracy(let app, _), .reset(let app): ordered = names[app]
    default: break
    }
    for app in names where app != ordered {
      let (old, new) = (before.record(of: app), after.record(of: app))
      if let limit = new.timeLimit, limit.end.nanoseconds <= now + after.suspended.clampedNanoseconds, !isPress(event) {
        violations.append("D6: the authorization of \(app) lasts longer than its time")
      }
      if let limit = old.timeLimit, effects.contains(where: { $0.isEnd(of: app) }) {
        // The end takes a right away. After it, other events of a long time can follow.
        if limit.formerStatus.rank >= old.status.rank { violations.append("D6: the end took no right from \(app)") }
        continue
      }
      var answered: (isYes: Bool, kind: Prompt.Kind)?
      for case .close(let prompt, let closing) in effects where prompt.app == app {
        switch closing {
        case .yes: answered = (true, prompt.kind)
        case .no: answered = (false, prompt.kind)
        case .unanswered: if prompt.kind == .always { answered = (false, .always) }
        case .withdrawn, .locked: break
        }
      }
      let isSame =
        old.status == new.status && old.isProvisional == new.isProvisional && old.accuracy == new.accuracy
        && old.isButtonConfirmed == new.isButtonConfirmed
      // A prompt of B5 can open and end between two events that are far apart. No display shows it, and it counts as not
      // answered.
      let isRefused = old.isProvisional && !new.isProvisional && new.seesAlwaysUntil != nil && old.status == new.status
      if !isSame, answered == nil, !isRefused { violations.append("5: \(app) changed without an answer") }
      let isRaised =
        new.status == .whenInUse && old.status != .whenInUse || new.status == .always && old.status != .always
        || new.accuracy == .full && old.accuracy != .full || new.accuracy == .reduced && old.accuracy == .place
      let grows =
        isRaised || new.isButtonConfirmed && !old.isButtonConfirmed || old.status == .denied && new.status != .denied
      if grows, answered?.isYes != true { violations.append("6: the rights of \(app) grew without a positive answer") }
      let showsText =
        switch event {
        case .pressed(_, _, _, _, let text): text
        case .answered(_, let answer): answer.showsText
        default: false
        }
      if isRaised, !showsText { violations.append("\(app) got more than the button may give without the text") }
    }
  }

  /// Checks that every visible change of an app's authorization is announced to the app.
  private mutating func checkVisibleStatus(_ before: Authorization, _ after: Authorization, _ effects: [Effect]) {
    for (id, session) in after.sessions where before.sessions[id] != nil {
      let isSame =
        before.visibleStatus(of: session.app, in: id) == after.visibleStatus(of: session.app, in: id)
        && before.accuracy(of: session.app, in: id) == after.accuracy(of: session.app, in: id)
      if !isSame, !effects.contains(.announce(session.app)) {
        violations.append("a visible change of \(session.app) was not announced")
      }
    }
  }

  /// Checks the locked state. (D4)
  private mutating func checkLock(_ after: Authorization) {
    guard after.isLocked else { return }
    if !after.arms.isEmpty || !after.grants.isEmpty || !after.updates.isEmpty || !after.prompts.isEmpty {
      violations.append("D4: an arm, grant or prompt exists while locked")
    }
    if after.sessions.values.contains(where: { $0.use != nil || $0.allowedOnce != nil || $0.isPreciseOnce }) {
      violations.append("D4: a session is in use while locked")
    }
  }

  /// Checks that denied and restricted apps have no implicit request, and that no client that polls delays other apps for
  /// more than 2 s. (Section Requests, A8)
  private mutating func checkImplicit(_ now: Int64, _ after: Authorization) {
    for arm in after.arms.values where arm.kind != .explicit {
      if [.denied, .restricted].contains(after.status(of: arm.app)) {
        violations.append("B4: the denied app \(arm.app) has an implicit request")
      }
    }
    for grant in after.grants.values where grant.isPolled {
      if grant.expires.nanoseconds > now + 2 * second {
        violations.append("A8: a client that polls delays other apps for more than 2 s")
      }
    }
  }

  /// Checks that the indexed activities are those of the present sessions and requests.
  private mutating func checkActivities(_ after: Authorization) {
    // A later assignment has precedence.
    var activities: [AppID: Activity] = [:]
    var accuracies: Set<FixAccuracy> = []
    for grant in after.grants.values { activities[grant.app] = .acquiring }
    for running in after.updates.values {
      activities[running.app] = .background
      accuracies.insert(after.accuracy(of: running.app, in: running.session))
    }
    let inSight = after.updates.values.filter { after.isInSight($0.session) }
    for running in inSight { activities[running.app] = .inUse }
    for running in after.updates.values where running.firstFixDue != nil { activities[running.app] = .waiting }
    for start in after.deferredStarts { activities[start.app] = .waiting }
    for prompt in after.prompts where prompt.press != nil { activities[prompt.app] = .prompt }
    for app in after.asks.keys { activities[app] = .prompt }
    for app in names where after.activity(of: app) != activities[app] {
      violations.append("the activity of \(app) is \(String(describing: after.activity(of: app)))")
    }
    if after.areUpdatesInSight == inSight.isEmpty { violations.append("the updates in sight are wrong") }
    if FixAccuracy.allCases.contains(where: { after.areUpdatesRunning(with: $0) != accuracies.contains($0) }) {
      violations.append("the accuracies of the updates are wrong")
    }
    if after.lastServed != after.records.values.compactMap(\.lastServed).max() ?? 0 {
      violations.append("the highest number of the order of service is wrong")
    }
    let updated = Dictionary(uniqueKeysWithValues: after.updates.map { ($1.request, $0) })
    if after.updatedSessions != updated { violations.append("the sessions of the updates are wrong") }
  }

  /// Checks invariant 1: no activity exists without its right.
  private mutating func checkUse(_ now: Int64, _ after: Authorization) {
    for (id, session) in after.sessions where session.use != nil {
      if now - (lastAct[id] ?? Int64.min / 2) >= 900 * second {
        violations.append("a session is in use without an act of the user")
      }
    }
    for (id, session) in after.sessions where session.allowedOnce != nil || session.isPreciseOnce {
      if !after.isInUse(id) { violations.append("B6, D3: a session has a right for one use, but is not in use") }
    }
    for running in after.updates.values {
      let isRight =
        switch running.right {
        case .always: after.status(of: running.app) == .always
        case .whenInUse:
          after.status(of: running.app) == .whenInUse
            && (after.isInUse(running.session)
              || running.goesOnInBackground && now < running.began.nanoseconds + 8 * 3600 * second)
        case .allowedOnce: after.sessions[running.session]?.allowedOnce != nil
        case .once: false
        }
      if !isRight || after.sessions[running.session] == nil { violations.append("1: updates run without a right") }
    }
    let isStanding = !after.updates.isEmpty || after.grants.values.contains { $0.press == nil }
    if isStanding, now - lastCheck >= second { violations.append("C6: the indicator was not checked for 1 s") }
  }
}

extension Authorization {
  /// The press that answers a prompt if no second press follows.
  fileprivate func firstPress(for prompt: Int) -> Press? {
    openPrompts.first { $0.prompt.id == prompt }?.firstPress
  }
}

private func isPress(_ event: ModelEvent) -> Bool {
  if case .pressed = event { true } else { false }
}

extension Effect {
  fileprivate func isEnd(of app: AppID) -> Bool {
    if case .recordEnd(app, _, _) = self { true } else { false }
  }
}
