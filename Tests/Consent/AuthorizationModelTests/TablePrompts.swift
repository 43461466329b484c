import Authorization
import LineProtocol

// The rows about prompts, presses, owners and the lock.
extension TableModel {
  // MARK: Records

  mutating func keep(_ app: Int, _ now: Int64, _ change: (inout ModelRecord) -> Void) {
    let before = apps[app].kept
    change(&apps[app].kept)
    let after = apps[app].kept
    guard before != after else { return }
    out.append(.saved(app: app, after))
    recordChange(app, before, after, now)
  }

  private mutating func recordChange(_ app: Int, _ before: ModelRecord, _ after: ModelRecord, _ now: Int64) {
    if before.status != after.status || before.accuracy != after.accuracy { apps[app].changed = now }
    func seen(_ kept: ModelRecord) -> AuthorizationStatus {
      apps[app].isRestricted ? .restricted : kept.seesAlways ? .always : kept.status
    }
    let isEndNew = before.end != after.end && !apps[app].isRestricted
    if seen(before) != seen(after) || before.accuracy != after.accuracy || isEndNew { announce(app) }
  }

  mutating func announce(_ app: Int) {
    if !out.contains(.announced(app: app)) { out.append(.announced(app: app)) }
  }

  // MARK: D1

  mutating func order(_ app: Int, _ now: Int64, isReset: Bool = false, _ change: (inout ModelRecord) -> Void) {
    let before = apps[app].kept
    var after = before
    change(&after)
    let isAllowed = clients.contains { $0.app == app && ($0.once != nil || $0.isPrecise) }
    if before == after, !isAllowed, !open.contains(where: { $0.app == app && $0.kind != .always }) { return }
    var sameEnd = after
    (sameEnd.end, sameEnd.back, sameEnd.isBackProvisional) = (before.end, before.back, before.isBackProvisional)
    if sameEnd == before, before != after {
      // A new end of the same authorization ends no request, and no right for one use. (D6)
      return keep(app, now) { $0 = after }
    }
    apps[app].kept = after
    if isReset {
      out.append(.forgotten(app: app))
      recordChange(app, before, after, now)
      apps[app].changed = now
    } else if before != after {
      out.append(.saved(app: app, after))
      recordChange(app, before, after, now)
    }
    let takes = after.takes(from: before) || isAllowed
    if takes { out.append(.erased(app: app)) }
    endActivity(app, takes: takes, now)
  }

  // MARK: Asking

  mutating func ask(_ request: UInt64, _ number: UInt64, _ requested: RequestedAuthorization, _ now: Int64) {
    guard let index = client(number) else { return out.append(.refused(request, .noSession)) }
    let (client, app) = (clients[index], clients[index].app)
    if isLocked { return out.append(.refused(request, .locked)) }
    if apps[app].status == .denied { return out.append(.refused(request, .denied)) }
    if apps[app].status == .restricted { return out.append(.refused(request, .restricted)) }
    let kept = apps[app].kept
    var kind: Prompt.Kind?
    switch requested {
    case .whenInUse: if kept.status == .notDetermined, client.once == nil { kind = .authorize }
    case .always:
      if kept.status == .notDetermined, client.once == nil { kind = .authorizeAlways }
      if kept.status == .whenInUse, !kept.seesAlways, !kept.upgradeAsked { kind = .upgrade }
    case .fullAccuracy:
      let has = client.isPrecise ? .full : client.once ?? kept.accuracy
      if has != .full, kept.status != .notDetermined || client.once != nil { kind = .precise }
    }
    guard let kind, !asking.contains(where: { $0.app == app }) else { return out.append(.presented(request)) }
    if let until = kept.pauseUntil, now < until {
      return out.append(.refused(request, .tooSoon(retryAfter: .nanoseconds(until - now))))
    }
    if kind == .upgrade { keep(app, now) { $0.upgradeAsked = true } }
    out.append(.asking(request))
    asking.append((app, request, number, now + Self.minute))
    for prompt in open where prompt.app == app && prompt.kind == .always { close(prompt, .withdrawn) }
    openPrompt(app, kind, client: number, now)
  }

  private mutating func openPrompt(_ app: Int, _ kind: Prompt.Kind, client: UInt64?, _ now: Int64) {
    prompts += 1
    open.append(
      ModelPrompt(number: prompts, app: app, kind: kind, client: client, shown: now, until: now + Self.minute))
  }

  /// Opens a prompt that asks for the authorization "always". (B5)
  @discardableResult
  mutating func askAlways(_ app: Int, _ now: Int64) -> Bool {
    let kept = apps[app].kept
    if !kept.isProvisional || kept.pauseUntil.map({ now < $0 }) ?? false { return false }
    if let mine = open.first(where: { $0.app == app && $0.press == nil }) { return mine.kind == .always }
    openPrompt(app, .always, client: nil, now)
    return true
  }

  /// Opens the prompt for events that were deferred during another prompt of the app. (B5)
  mutating func promptForDeferred(_ app: Int, _ now: Int64) {
    if activities.contains(where: { $0.app == app && $0.isApparent }) || regions.contains(where: { $0.app == app }) {
      askAlways(app, now)
    }
  }

  mutating func cross(_ app: Int, _ event: RegionEvent, _ now: Int64) {
    if isLocked { return }
    let kept = apps[app].kept
    let isHere = clients.contains { $0.app == app }
    switch apps[app].status {
    case .denied, .restricted: return
    case .notDetermined:
      if clients.contains(where: { $0.app == app && $0.once != nil }) { out.append(.ownersNotified(app: app, event)) }
    case .always:
      if kept.accuracy != .full {
        out.append(.ownersNotified(app: app, event))
      } else if !isDark && isHere {
        out.append(.crossingSent(app: app, event))
      }
    case .whenInUse:
      if !kept.isProvisional || kept.accuracy != .full || !isHere {
        out.append(.ownersNotified(app: app, event))
      } else if askAlways(app, now) {
        regions.removeAll { $0.app == app && $0.event.region == event.region }
        regions.append((app, event))
      } else {
        out.append(.ownersNotified(app: app, event))
      }
    }
  }

  // MARK: Answers

  /// Whether a prompt offers an answer. Without its text it offers only "yes" to a prompt about the button, "once",
  /// "keep" and "no".
  func offers(_ kind: Prompt.Kind, _ answer: Answer) -> Bool {
    switch (kind, answer.choice) {
    case (_, .no), (.confirm, .yes), (.introduce, .yes), (.authorize, .once), (.authorizeAlways, .once),
      (.upgrade, .keep), (.always, .keep), (.precise, .keep):
      true
    case (.authorize, .whileUsing), (.authorizeAlways, .whileUsing), (.upgrade, .always), (.always, .always),
      (.precise, .yes):
      answer.showsText
    default: false
    }
  }

  mutating func unanswered(_ prompt: ModelPrompt, _ now: Int64) {
    let app = prompt.app
    close(prompt, .unanswered)
    if prompt.kind != .always { apps[app].seen += prompt.seen + (prompt.seenSince.map { now - $0 } ?? 0) }
    let isSeen = apps[app].seen >= 10 * Self.second
    keep(app, now) { kept in
      if prompt.kind == .always {
        kept.refuseAlways(now)
      } else if isSeen {
        Self.lengthen(&kept, after: prompt, now)
      }
    }
    if isSeen { apps[app].seen = 0 }
    endPaused(app, now)
    if prompt.kind == .always { regions.removeAll { $0.app == app } }
    if prompt.press != nil { closePrompts(now) { $0.app == app } }
    if prompt.isAsked {
      for mine in asking where mine.app == app { out.append(.ended(mine.request, .noPress)) }
      forgetAsking(app)
    }
    // An implicit arm stays while its client watches.
    disarm(app, .noPress, now) { $0 == prompt.arm && !$0.isImplicit }
  }

  /// - Parameter press: The release of the press that answered; nil without a press.
  mutating func answer(
    _ prompt: ModelPrompt, _ choice: PromptChoice, _ accuracy: FixAccuracy?, _ press: Int64?,
    isHold: Bool = false, _ now: Int64
  ) {
    let app = prompt.app
    let gives = choice != .no && choice != .keep
    if prompt.isAsked { forgetAsking(app) }
    close(prompt, gives ? .yes : .no)
    out.append(.answerRecorded(app: app, prompt.kind, choice, accuracy))
    apps[app].seen = 0
    let acted = press ?? now
    let before = apps[app].kept
    var after = before
    if !gives, prompt.kind == .precise || prompt.kind == .introduce {
      Self.lengthen(&after, after: prompt, now)
    } else {
      after.pauseUntil = nil
      after.pauseLength = nil
    }
    if let accuracy,
      choice == .yes && prompt.press != nil || choice == .whileUsing || choice == .always
        || !gives && prompt.kind != .precise
    {
      after.accuracy = accuracy
    }
    switch (prompt.kind, choice) {
    case (.confirm, .yes), (.introduce, .yes):
      after.status = .notDetermined
      after.isConfirmed = true
    case (.confirm, .no), (.introduce, .no), (.authorize, .no), (.authorizeAlways, .no): after.status = .denied
    case (.authorize, .whileUsing): after.status = .whenInUse
    case (.authorizeAlways, .whileUsing):
      after.status = .whenInUse
      after.isProvisional = true
      after.upgradeAsked = true
    case (.upgrade, .always):
      after.status = .always
      after.unlimit()
    case (.always, .always):
      after.status = .always
      after.isProvisional = false
    case (.always, _):
      after.refuseAlways(now)
      regions.removeAll { $0.app == app }
    default: break
    }
    let apparent = activities.filter { $0.app == app && $0.isApparent }
    let crossed = regions.filter { $0.app == app }
    var served: [Armed] = []
    if let arm = prompt.arm {
      served = apps[app].arms.filter { other in
        other == arm || gives && arm.isForOutput && other.isForOutput && prompt.press!.down - other.since >= Self.second
      }
      apps[app].arms.removeAll(where: served.contains)
      if !gives { out.append(.ended(arm.request, .denied)) }
    }
    if prompt.kind == .always, gives { activities.removeAll { $0.app == app && $0.isApparent } }
    // A change ends the activity (D5).
    if before.status != after.status || before.accuracy != after.accuracy {
      let takes = after.takes(from: before)
      if takes { out.append(.erased(app: app)) }
      endActivity(app, takes: takes, now)
    }

    if prompt.arm != nil, gives {
      serve(
        app, served, pressDown: press == nil ? prompt.press!.down : answeringDown, after,
        pressUp: press ?? prompt.press!.up, now)
      for arm in served { act(arm.session, acted) }
      return
    }
    keep(app, now) { $0 = after }
    if prompt.isAsked { announce(app) }
    endPaused(app, now)
    if !isHold { promptForDeferred(app, now) }
    guard gives else { return }
    if choice == .once || prompt.kind == .precise, let index = client(prompt.client!) {
      disarm(app, .changed, now)
      for activity in activities where activity.client == prompt.client! && activity.isUpdates {
        end(activity, .changed, now)
      }
      if choice == .once { clients[index].once = accuracy ?? after.accuracy } else { clients[index].isPrecise = true }
      apps[app].changed = now
    }
    if let number = prompt.client { act(number, acted) }
    if prompt.kind == .always {
      for activity in apparent {
        act(activity.client, acted)
        guard let index = client(activity.client), let right = standingRight(clients[index]) else { continue }
        switch activity.kind {
        case .apparentFix: give(activity.request, clients[index], .fix, right, until: activity.until!, now)
        case .apparentUpdates: give(activity.request, clients[index], .updates, right, until: now + Self.minute, now)
        default: give(activity.request, clients[index], .updatesBehind, right, until: now + Self.minute, now)
        }
      }
      for mine in crossed where !isDark { out.append(.crossingSent(app: app, mine.event)) }
    }
  }

  // MARK: Presses

  mutating func press(_ button: Int, _ down: Int64, _ up: Int64, _ illegible: Bool, _ text: Bool, _ now: Int64) {
    if isLocked { return out.append(.pressReported(session: nil, .locked)) }  // Locked (D4)
    if up + 60 * Self.second <= now { return }  // The grant would have expired.
    answeringDown = down
    if let atButton, let prompt = open.first(where: { $0.number == atButton.number }) {
      guard isButton(button, of: prompt), wasMarked(.prompt(prompt.number), button, down) else {
        return out.append(.blipped(.nothingWaiting))
      }
      if let first = prompt.first {
        if button == first.button, down >= first.up, text, !illegible { answer(prompt, .whileUsing, nil, up, now) }
      } else if illegible {
        if prompt.kind == .always {
          out.append(.blipped(.nothingWaiting))
        } else {
          out.append(.pressReported(session: prompt.client ?? prompt.arm!.session, .illegible("dark")))
        }
      } else {
        switch prompt.kind {
        case .confirm, .introduce: answer(prompt, .yes, nil, up, now)
        case .authorize, .authorizeAlways:
          if text {
            for index in open.indices where open[index].number == prompt.number { open[index].first = (button, up) }
          } else {
            answer(prompt, .once, nil, up, now)
          }
        case .upgrade, .always, .precise: answer(prompt, .keep, nil, up, now)
        }
      }
      return
    }
    if activities.contains(where: { $0.kind == .pressFix }) || down - pressFixEnded < 2 * Self.second {
      return out.append(.blipped(.acquiring))  // A repeated press (A8)
    }
    let here = apps.indices.filter { buttons[button]?.contains($0) != false }.flatMap { app in
      apps[app].arms.map { (app, $0) }
    }
    let late = here.filter { down - $0.1.since < Self.second }
    // The press remains for other apps (A5).
    for (app, arm) in here where apps[app].isRestricted && down - arm.since >= Self.second {
      out.append(.pressReported(session: arm.session, .restricted))
    }
    let chosen = first(of: here.filter { wasMarked(.request($0.1.request), button, down) }, now)
    if chosen.isEmpty {  // Nothing is armed, or the mark changed (A6, A9)
      for (_, arm) in late { out.append(.pressReported(session: arm.session, .armedTooLate)) }
      if apps.allSatisfy(\.arms.isEmpty) { out.append(.pressReported(session: nil, .nothingArmed)) }
      out.append(.blipped(.nothingWaiting))
    } else if illegible {  // The indicator cannot be seen (A7)
      for (_, arm) in chosen { out.append(.pressReported(session: arm.session, .illegible("dark"))) }
    } else if let kind = apps[chosen[0].0].kindOfPrompt {  // A prompt opens (A1, A4)
      prompts += 1
      let (app, arm) = chosen[0]
      let shown = max(now, up)
      open.append(
        ModelPrompt(
          number: prompts, app: app, kind: kind, press: (button, down, up), arm: arm, shown: shown,
          until: up + 60 * Self.second))
      atButton = (prompts, shown)
    } else {  // A fix is served (A2, A3)
      for app in Set(chosen.map(\.app)).sorted(by: { app, other in
        chosen.firstIndex { $0.app == app }! < chosen.firstIndex { $0.app == other }!
      }) {
        let served = chosen.filter { $0.app == app }.map(\.arm)
        apps[app].arms.removeAll(where: served.contains)
        serve(app, served, pressDown: down, apps[app].kept, pressUp: up, now)
      }
    }
  }

  // MARK: Marks (A9)

  /// Records the marks after an event or at a deadline.
  mutating func mark(_ now: Int64) {
    marked = max(marked, now)
    for button in buttons.indices {
      var targets: Set<Target> = []
      if let atButton {
        if atButton.since != nil { targets = [.prompt(atButton.number)] }
      } else {
        let here = apps.indices.filter { buttons[button]?.contains($0) != false }.flatMap { app in
          apps[app].arms.map { (app, $0) }
        }
        targets = Set(first(of: here, marked).map { .request($0.arm.request) })
      }
      if targets != marks[button].last?.targets ?? [] { marks[button].append((marked, targets)) }
    }
  }

  /// Whether the mark was on a target at every instant of the second before the down edge.
  private func wasMarked(_ target: Target, _ button: Int, _ down: Int64) -> Bool {
    var isMarked = false
    for (index, mark) in marks[button].enumerated() {
      let end = index + 1 < marks[button].count ? marks[button][index + 1].since : .max
      guard mark.since < down, end > down - Self.second else { continue }
      if !mark.targets.contains(target) { return false }
      isMarked = true
    }
    return isMarked && marks[button][0].since <= down - Self.second
  }

  /// Returns the first arm in the order of service, or the arms that a press serves together.
  private func first(of here: [(app: Int, arm: Armed)], _ now: Int64) -> [(app: Int, arm: Armed)] {
    let inOrder = here.filter { app, _ in
      if apps[app].isRestricted { return false }
      // A pause of prompts can begin while an app is armed.
      return apps[app].kindOfPrompt == nil || apps[app].kept.pauseUntil.map { now >= $0 } ?? true
    }.sorted { rank($0) < rank($1) }
    var chosen = Array(inOrder.prefix(1))
    if servesAll, let first = chosen.first, apps[first.app].kindOfPrompt == nil {
      for next in inOrder where apps[next.app].kindOfPrompt == nil && !chosen.contains(where: { $0.app == next.app }) {
        chosen.append(next)
      }
    }
    // All outputs of an app get the fix of its each-press request.
    for output in inOrder where output.arm.isForOutput {
      guard chosen.contains(where: { $0.app == output.app && $0.arm.isForOutput }) else { continue }
      if !chosen.contains(where: { $0.arm == output.arm }) { chosen.append(output) }
    }
    return chosen
  }

  /// Whether a button opened the prompt or serves its app. If no press opened it, any button that serves its app does.
  func isButton(_ button: Int, of prompt: ModelPrompt) -> Bool {
    let isBound = buttons[button]?.contains(prompt.app)
    return prompt.press.map { $0.button == button || isBound == true } ?? (isBound ?? true)
  }

  /// Returns the rank of an arm: explicit arms first, among them those that need no prompt, then the app served least
  /// recently. For implicit arms, the need of a prompt does not count.
  private func rank(_ claim: (app: Int, arm: Armed)) -> (Int, Int, Int64, Int64, UInt64) {
    let (turn, since, request) = rankOfTurn(claim)
    return (
      claim.arm.isImplicit ? 1 : 0, apps[claim.app].kindOfPrompt == nil || claim.arm.isImplicit ? 0 : 1, turn, since,
      request
    )
  }

  /// Returns the part of the rank of an arm that depends on the order of service only.
  func rankOfTurn(_ claim: (app: Int, arm: Armed)) -> (Int64, Int64, UInt64) {
    (apps[claim.app].kept.turn ?? 0, claim.arm.since, claim.arm.request)
  }

  private mutating func serve(
    _ app: Int, _ served: [Armed], pressDown: Int64, _ kept: ModelRecord, pressUp: Int64, _ now: Int64
  ) {
    var kept = kept
    kept.turn = (apps.compactMap(\.kept.turn).max() ?? 0) + 1
    keep(app, now) { $0 = kept }
    let right: Right =
      switch kept.status {
      case .whenInUse: .whenInUse
      case .always: .always
      default: .once
      }
    for armed in served {
      var expires = pressUp + 60 * Self.second
      if armed.isPolled { expires = min(expires, max(pressUp, now) + 2 * Self.second) }
      activities.append(
        Activity(
          kind: .pressFix, request: armed.request, client: armed.session, app: app, right: right, until: expires,
          isPolled: armed.isPolled))
      act(armed.session, pressUp)
      out.append(.pressReported(session: armed.session, .authorized))
      out.append(
        .served(
          request: armed.request, session: armed.session, app: app, right: right,
          notBefore: pressDown - 2 * Self.second, expires: expires))
    }
  }

  // MARK: D2

  mutating func hold(_ button: Int, _ down: Int64, _ multiple: Int, _ now: Int64) {
    let goesOn = saidNo.map { $0.button == button && $0.down == down } ?? false
    saidNo = nil
    if multiple == 2 {
      if goesOn, !isLocked { lock(now) }
    } else if isLocked {
      // A hold that began before the lock was meant to lock.
      guard down >= lockedAt else { return }
      isLocked = false
      unlockedAt = now
      out += [.savedLock(false), .announcedLock(false)]
    } else if let atButton, let since = atButton.since,
      let prompt = open.first(where: { $0.number == atButton.number }), isButton(button, of: prompt)
    {
      let isInFlight = activities.contains { !$0.isApparent }
      closePrompts(now) { $0.number != prompt.number }
      answer(prompt, .no, nil, nil, isHold: true, now)
      // The button answered no prompt when the hold began, so the hold was meant to lock.
      if isInFlight || down < since { lock(now) } else { saidNo = (button, down) }
    } else {
      lock(now)
    }
  }

  mutating func lock(_ now: Int64) {
    isLocked = true
    lockedAt = now
    usedUntil = Self.never
    out += [.erased(app: nil), .savedLock(true), .announcedLock(true)]
    for prompt in open { close(prompt, .locked) }
    for app in apps.indices { forgetAsking(app) }
    regions = []
    for app in apps.indices { disarm(app, .locked, now) }
    for activity in activities { end(activity, .locked, now) }
    for index in clients.indices {
      forgetAllowances(index)
      stopUse(index, now)
    }
  }
}

extension TableModel.ModelRecord {
  /// Whether this record gives less than the former record. (D1)
  func takes(from before: Self) -> Bool {
    func worth(_ status: AuthorizationStatus) -> Int {
      [.denied, .notDetermined, .whenInUse, .always].firstIndex(of: status)!
    }
    return worth(status) < worth(before.status) || before.seesAlways && status != .always
      || before.isConfirmed && !isConfirmed || before.accuracy == .full && accuracy != .full
      || before.accuracy == .reduced && accuracy == .place
  }

  /// Ends a provisional "always", which the app sees for one more day. (B5)
  mutating func refuseAlways(_ now: Int64) {
    isProvisional = false
    seesAlwaysUntil = now + TableModel.day
  }

  mutating func setByOwner(_ status: AuthorizationStatus) {
    if status == .denied || status == .notDetermined { isConfirmed = false }
    self.status = status
    isProvisional = false
    seesAlwaysUntil = nil
    unlimit()
  }

  mutating func unlimit() { (end, back, isBackProvisional) = (nil, nil, false) }
}
