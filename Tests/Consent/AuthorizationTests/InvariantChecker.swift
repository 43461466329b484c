import Authorization
import Clocks

/// The invariants of the contract, watched from outside after every event, without the model.
struct Watch {
  /// What a store has kept of the records; it must never lag behind.
  var kept: [AppID: AppRecord]
  var isLockKept = false
  let servesAll: Bool
  /// When each request was armed.
  private var armed: [RequestID: Int64] = [:]
  private var lastEdge = Int64.min / 2
  /// When a person last acted in each session.
  private var lastAct: [SessionID: Int64] = [:]
  private var lastLook = Int64.min / 2

  init(records: [AppRecord], servesAll: Bool) {
    kept = Dictionary(uniqueKeysWithValues: records.map { ($0.app, $0) })
    self.servesAll = servesAll
  }

  mutating func restart() {
    armed = [:]
    lastEdge = Int64.min / 2
    lastAct = [:]
    lastLook = Int64.min / 2
  }

  mutating func check(
    _ event: Happening, _ now: Int64, _ before: Authorization, _ after: Authorization, _ effects: [Effect],
    _ complaints: inout [String]
  ) {
    noteEdges(event, now)
    var pressed = 0
    for effect in effects {
      switch effect {
      case .save(let record): kept[record.app] = record
      case .forget(let app): kept[app] = nil
      case .saveLock(let isLocked): isLockKept = isLocked
      case .accept(let request): armed[request] = now
      case .announceLock(let isLocked):
        if isLockKept != isLocked { complaints.append("a lock was told before it was kept") }
      case .serve(let grant):
        if grant.press != nil { pressed += 1 }
        if kept[grant.app] != after.records[grant.app] {
          complaints.append("6: \(grant.app) served before it was kept")
        }
        check(grant, event, now, before, after, &complaints)
      case .begin(let updates):
        if kept[updates.app] != after.records[updates.app] { complaints.append("6: begun before it was kept") }
      case .checkLegibility: lastLook = now
      case .acquire, .ask, .present, .refuse, .end, .withhold, .eraseUndelivered, .tellPress, .announce, .tellRegion,
        .notifyOwners, .endSession, .show, .close, .blip:
        break
      }
    }
    if case .legible = event { lastLook = now }
    checkButton(now, before, after, &complaints)
    noteActs(event, now, before, effects)
    if pressed > 1, !servesAll { complaints.append("2: a press gave \(pressed) fixes") }
    if kept != after.records { complaints.append("6: what is kept is not what is known") }
    if isLockKept != after.isLocked { complaints.append("6: the lock is not kept") }
    checkRights(event, before, after, effects, &complaints)
    checkSight(before, after, effects, &complaints)
    checkLock(after, &complaints)
    // A press is handled as of its release, and what is due since then is left for the next event.
    guard case .pressed = event, let due = after.nextDeadline, due.nanoseconds <= now else {
      if let due = after.nextDeadline, due.nanoseconds < now { complaints.append("a deadline stays behind") }
      return checkUse(now, after, &complaints)
    }
  }

  private mutating func noteEdges(_ event: Happening, _ now: Int64) {
    switch event {
    case .edge(let time): lastEdge = max(lastEdge, time)
    case .pressed(_, _, let up, _, _): lastEdge = max(lastEdge, up)
    case .held: lastEdge = max(lastEdge, now)
    default: break
    }
  }

  /// A press that served it, a prompt answered for it, or the owner's `use APP`.
  private mutating func noteActs(_ event: Happening, _ now: Int64, _ before: Authorization, _ effects: [Effect]) {
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
    if case .use(let app) = event {
      for (id, session) in before.sessions where session.app == names[app] { lastAct[id] = now }
    }
  }

  /// 2: by a person's act, to an app armed 300 ms before the down edge, for 60 s from the release; or 1: under a
  /// standing right.
  private mutating func check(
    _ grant: Grant, _ event: Happening, _ now: Int64, _ before: Authorization, _ after: Authorization,
    _ complaints: inout [String]
  ) {
    if before.isLocked || after.isLocked { complaints.append("1: served while locked") }
    if grant.expires.nanoseconds <= now, grant.press != nil { complaints.append("2: served after its end") }
    guard let press = grant.press else {
      let isStanding =
        switch grant.right {
        case .always: after.status(of: grant.app) == .always
        case .whenInUse: after.status(of: grant.app) == .whenInUse && after.isInUse(grant.session)
        case .allowedOnce: after.sessions[grant.session]?.allowedOnce != nil
        case .once: false
        }
      if !isStanding { complaints.append("1: served without a press and without a standing right") }
      if grant.notBefore.nanoseconds < now - 60 * second { complaints.append("an old fix may be served") }
      return
    }
    switch event {
    case .pressed(_, let down, let up, _, _):
      if press.down.nanoseconds != down || grant.expires.nanoseconds != up + 60 * second {
        complaints.append("2: a grant that is not this press's")
      }
    case .answered(_, let answer) where answer.choice == .yes:
      if press != before.prompt?.press { complaints.append("2: a grant of another press") }
    default: complaints.append("2: served without a person's act")
    }
    guard let since = armed.removeValue(forKey: grant.request) else {
      return complaints.append("2: a request was served that was not armed, or twice")
    }
    if since > press.down.nanoseconds - 300 * millisecond { complaints.append("2: armed too late") }
  }

  /// A prompt that no press opened must not catch a finger that is on its way to something else.
  private func checkButton(
    _ now: Int64, _ before: Authorization, _ after: Authorization, _ complaints: inout [String]
  ) {
    guard let prompt = after.prompt, prompt.press == nil else { return }
    if after.arms.values.contains(where: { !$0.isImplicit }) || after.grants.values.contains(where: { $0.press != nil })
    {
      complaints.append("the button answers a prompt while an app waits for a press or its fix")
    }
    if after.turnBegan != before.turnBegan || prompt != before.prompt, now - lastEdge < 2 * second {
      complaints.append("the button began to answer a prompt within 2 s of an edge")
    }
  }

  /// 5 and 6: rights change only by an answer or an owner's order, and grow only by a yes or an owner.
  private func checkRights(
    _ event: Happening, _ before: Authorization, _ after: Authorization, _ effects: [Effect],
    _ complaints: inout [String]
  ) {
    var ordered: AppID?
    switch event {
    case .setStatus(let app, _), .setAccuracy(let app, _), .reset(let app): ordered = names[app]
    default: break
    }
    for app in names where app != ordered {
      let (old, new) = (before.record(of: app), after.record(of: app))
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
      if !isSame, answered == nil { complaints.append("5: \(app) changed without an answer") }
      let isRaised =
        new.status == .whenInUse && old.status != .whenInUse || new.status == .always && old.status != .always
        || new.accuracy == .full && old.accuracy == .reduced
      let grows =
        isRaised || new.isButtonConfirmed && !old.isButtonConfirmed || old.status == .denied && new.status != .denied
      if grows, answered?.isYes != true { complaints.append("6: the rights of \(app) grew without a yes") }
      let showsText =
        switch event {
        case .pressed(_, _, _, _, let text): text
        case .answered(_, let answer): answer.showsText
        default: false
        }
      if isRaised, !showsText { complaints.append("\(app) got more than the button alone may give") }
    }
  }

  /// What an app may see of its authorization changes only as it is told.
  private func checkSight(
    _ before: Authorization, _ after: Authorization, _ effects: [Effect], _ complaints: inout [String]
  ) {
    for (id, session) in after.sessions where before.sessions[id] != nil {
      let isSame =
        before.visibleStatus(of: session.app, in: id) == after.visibleStatus(of: session.app, in: id)
        && before.accuracy(of: session.app, in: id) == after.accuracy(of: session.app, in: id)
      if !isSame, !effects.contains(.announce(session.app)) { complaints.append("\(session.app) was not told") }
    }
  }

  /// D4
  private func checkLock(_ after: Authorization, _ complaints: inout [String]) {
    guard after.isLocked else { return }
    if after.arms.values.contains(where: { !$0.isImplicit }) || !after.grants.isEmpty || !after.updates.isEmpty
      || after.prompt != nil
    {
      complaints.append("D4: something is armed, given or asked while locked")
    }
    if after.sessions.values.contains(where: { $0.use != nil || $0.allowedOnce != nil || $0.isPreciseOnce }) {
      complaints.append("D4: something is in use while locked")
    }
  }

  /// 1: at no moment anything runs without its right.
  private func checkUse(_ now: Int64, _ after: Authorization, _ complaints: inout [String]) {
    for (id, session) in after.sessions where session.use != nil {
      if now - (lastAct[id] ?? Int64.min / 2) >= 900 * second { complaints.append("in use without a person's act") }
    }
    for (id, session) in after.sessions where session.allowedOnce != nil || session.isPreciseOnce {
      if !after.isInUse(id) { complaints.append("B6, D3: allowed once and not in use") }
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
      if !isRight || after.sessions[running.session] == nil { complaints.append("1: updates without a right") }
    }
    let isStanding = !after.updates.isEmpty || after.grants.values.contains { $0.press == nil }
    if isStanding, now - lastLook >= second { complaints.append("C6: nobody looked at the indicator") }
  }
}
