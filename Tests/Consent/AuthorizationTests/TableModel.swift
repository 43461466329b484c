import Authorization

/// The table read as literally as possible, and slowly: plain numbers, one rule after the other. It shares no code and
/// no structure with `Authorization`.
struct TableModel {
  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000
  static let minute: Int64 = 60 * second
  static let hour: Int64 = 60 * minute
  static let day: Int64 = 24 * hour
  static let never = Int64.min / 2

  var apps: [App]
  /// What an app is before anything is known of it.
  var fresh: [Kept]
  /// Which apps each button considers; nil is all.
  var buttons: [Set<Int>?]
  var servesAll: Bool
  var isLocked = false
  var lockedAt = never
  var unlockedAt = never
  var clients: [Client] = []
  var things: [Thing] = []
  var regions: [(app: Int, event: RegionEvent)] = []
  var open: [Question] = []
  /// What apps wait to hear of.
  var asking: [(app: Int, request: UInt64, client: UInt64, until: Int64)] = []
  /// The question that the button answers, and since when.
  var atButton: (number: Int, since: Int64)?
  var areSurfacesOpen = false
  var prompts = 0
  var buttonLeft = never
  var pressFixEnded = never
  var lastEdge = never
  var saidNo: (button: Int, down: Int64)?
  var isDark = false
  var lookedAt = never
  /// The down edge of the press that is being looked at.
  var answeringDown = never
  var out: [Outcome] = []

  mutating func happen(_ event: Happening, at now: Int64) -> [Outcome] {
    out = []
    if case .pressed(_, _, let up, _, _) = event { pass(to: up) } else { pass(to: now) }
    switch event {
    case .opened(let number, let app):
      clients.append(Client(number: number, app: app, opened: now))
      hello(app, now)
    case .lost(let number): whereabouts(number, now) { $0.isAway = true }
    case .resumed(let number):
      guard let index = client(number) else { break }
      hello(clients[index].app, now)
      whereabouts(number, now) { $0.isAway = false }
    case .left(let number): leave(number, now)
    case .moved(let number, let isBehind): whereabouts(number, now) { $0.isBehind = isBehind }
    case .cancelled(let number): cancel(number, now)
    case .requested(let request, let number, let timeout, let needsPress, let implicit):
      take(request, number, timeout, needsPress, implicit, now)
    case .started(let request, let number, let isBehind): start(request, number, isBehind, now)
    case .stopped(let number):
      for thing in things where thing.client == number && !thing.wantsOneFix { end(thing, .cancelled, now) }
    case .asked(let request, let number, let wish): ask(request, number, wish, now)
    case .crossed(let app, let event): cross(app, event, now)
    case .edge(let time): lastEdge = max(lastEdge, time)
    case .pressed(let button, let down, let up, let illegible, let text):
      lastEdge = max(lastEdge, up)
      press(button, down, up, illegible, text, now)
    case .held(let button, let down, let multiple):
      lastEdge = max(lastEdge, now)
      hold(button, down, multiple, now)
    case .answered(let number, let answer):
      guard let question = open.first(where: { $0.number == number }), takes(question.kind, answer) else { break }
      self.answer(
        question, answer.choice, answer.showsText || answer.accuracy == .reduced ? answer.accuracy : nil, nil, now)
    case .setStatus(let app, let status): if status != .restricted { order(app, now) { $0.setByOwner(status) } }
    case .setAccuracy(let app, let accuracy): order(app, now) { $0.accuracy = accuracy }
    case .reset(let app):
      let fresh = fresh[app]
      order(app, now, isReset: true) { $0 = fresh }
    case .use(let app): for client in clients where client.app == app { act(client.number, now) }
    case .lockOrdered: if !isLocked { lock(now) }
    case .served(let request):
      if let index = things.firstIndex(where: { $0.request == request && !$0.isSeeming }) {
        if things[index].isUpdates { things[index].until = nil } else { remove(things[index], now) }
      }
    case .failed(let request):
      if let thing = things.first(where: { $0.request == request && !$0.isSeeming }) { remove(thing, now) }
    case .legible(let isLegible):
      isDark = !isLegible
      lookedAt = now
      if isDark { for thing in things where thing.isStanding { end(thing, .illegible("dark"), now) } }
    case .surfaces(let areOpen): areSurfacesOpen = areOpen
    case .timePassed: break
    }
    showNext(now)
    if things.contains(where: \.isStanding) || isDark, now - lookedAt >= Self.second {
      lookedAt = now
      out.append(.looked)
    }
    return out
  }

  // MARK: Time

  /// Everything that is due up to a time, one thing after the other in the order of its time.
  private mutating func pass(to time: Int64) {
    while true {
      var due = turnEnd
      for question in open { due = min(due, question.due) }
      for mine in asking { due = min(due, mine.until) }
      for arm in apps.flatMap(\.arms) { due = min(due, arm.until) }
      for thing in things { due = min(due, thing.until ?? .max, thing.last ?? .max) }
      for client in clients { due = min(due, graceEnd(client), useEnd(client)) }
      guard due <= time, due != .max else { return }
      for number in open.map(\.number) {
        guard let question = open.first(where: { $0.number == number }), question.due == due else { continue }
        if let first = question.first {
          answer(question, .once, nil, (first.up, false), due)
        } else {
          unanswered(question, due)
        }
      }
      if turnEnd == due { endTurn(due) }
      for mine in asking.sorted(by: { $0.request < $1.request }) where mine.until == due {
        asking.removeAll { $0.request == mine.request }
        out.append(.ended(mine.request, .noPress))
        announce(mine.app)
      }
      for app in apps.indices { disarm(app, .noPress, due) { $0.until == due } }
      let inOrder = things.sorted { $0.request < $1.request }
      for thing in inOrder where thing.until == due && (thing.kind == .pressFix || thing.kind == .fix) {
        end(thing, .expired, due)
      }
      for thing in things where thing.until == due && thing.isSeeming { end(thing, .expired, due) }
      for thing in things where thing.isUpdates {
        if thing.until == due { end(thing, .expired, due) } else if thing.last == due { mayNotGoOn(thing, due) }
      }
      for client in clients.sorted(by: { $0.number < $1.number }) {
        if graceEnd(client) == due {
          if client.isAway {
            leave(client.number, due)
            out.append(.sessionOver(client.number))
          } else {
            outOfUse(client.number, due)
          }
        } else if useEnd(client) == due {
          outOfUse(client.number, due)
        }
      }
    }
  }

  private func graceEnd(_ client: Client) -> Int64 {
    client.isSpending ? client.graceCounted + 5 * Self.second - client.graceSpent : .max
  }

  private func useEnd(_ client: Client) -> Int64 {
    client.usedSince == nil ? .max : client.lastAct + 15 * Self.minute
  }

  // MARK: Sessions and use

  func client(_ number: UInt64) -> Int? { clients.firstIndex { $0.number == number } }

  /// Counts the grace period up to now, and changes what it depends on.
  private mutating func whereabouts(_ number: UInt64, _ now: Int64, _ change: (inout Client) -> Void) {
    guard let index = client(number) else { return }
    if clients[index].isSpending {
      clients[index].graceSpent += max(0, now - clients[index].graceCounted)
      clients[index].graceSpent = min(clients[index].graceSpent, 5 * Self.second)
    }
    clients[index].graceCounted = now
    change(&clients[index])
    pass(to: now)
  }

  /// A person did something for the app.
  mutating func act(_ number: UInt64, _ time: Int64) {
    guard !isLocked, let index = client(number) else { return }
    let wasSpending = clients[index].isSpending
    clients[index].usedSince = clients[index].usedSince ?? time
    clients[index].lastAct = max(clients[index].lastAct, time)
    clients[index].graceSpent = 0
    clients[index].graceCounted = wasSpending ? max(clients[index].graceCounted, time) : time
  }

  private func isInUse(_ client: Client) -> Bool {
    !isLocked && (client.usedSince != nil || apps[client.app].isDisplay)
  }

  private mutating func outOfUse(_ number: UInt64, _ now: Int64) {
    guard let index = client(number) else { return }
    if clients[index].isSpending {
      clients[index].graceSpent = min(
        5 * Self.second, clients[index].graceSpent + max(0, now - clients[index].graceCounted))
    }
    clients[index].graceCounted = now
    clients[index].usedSince = nil
    clients[index].lastAct = Self.never
    let app = clients[index].app
    if apps[app].isDisplay { return }
    let wasPrecise = clients[index].isPrecise
    forgetAllowances(index)
    for thing in things where thing.client == number && thing.isStanding {
      switch (thing.right, thing.kind) {
      case (.whenInUse, .updatesBehind), (.always, .updates), (.always, .updatesBehind):
        if wasPrecise { end(thing, .changed, now) }
      case (.whenInUse, _): mayNotGoOn(thing, now)
      case (.allowedOnce, _): end(thing, .notInUse, now)
      default: break
      }
    }
  }

  private mutating func forgetAllowances(_ index: Int) {
    if clients[index].once != nil || clients[index].isPrecise { announce(clients[index].app) }
    clients[index].once = nil
    clients[index].isPrecise = false
  }

  /// B5: who believes to have "always" is not told; it seems to it that there is no fix.
  private mutating func mayNotGoOn(_ thing: Thing, _ now: Int64) {
    guard apps[thing.app].kept.believesAlways else { return end(thing, .notInUse, now) }
    remove(thing, now)
    out.append(.withheld(thing.request))
    var seeming = thing
    switch thing.kind {
    case .updates: seeming.kind = .seemingUpdates
    case .updatesBehind: seeming.kind = .seemingUpdatesBehind
    default: seeming.kind = .seemingFix
    }
    if thing.isUpdates { seeming.until = now + Self.minute }
    seeming.last = nil
    things.append(seeming)
    askAlways(thing.app, now)
  }

  private mutating func leave(_ number: UInt64, _ now: Int64) {
    guard let index = client(number) else { return }
    let app = clients[index].app
    disarm(app, .sessionEnded, now) { $0.session == number }
    for thing in things where thing.client == number { end(thing, .sessionEnded, now) }
    withdrawAsked(by: number, now)
    clients.remove(at: index)
    if !clients.contains(where: { $0.app == app }) {
      regions.removeAll { $0.app == app }
      forgetIdleQuestion(app, now)
    }
  }

  private mutating func hello(_ app: Int, _ now: Int64) {
    if let until = apps[app].kept.seesAlwaysUntil, until <= now { keep(app, now) { $0.seesAlwaysUntil = nil } }
  }

  private mutating func cancel(_ number: UInt64, _ now: Int64) {
    guard let index = client(number) else { return }
    let app = clients[index].app
    disarm(app, .cancelled, now) { $0.session == number }
    for thing in things where thing.client == number && thing.wantsOneFix { end(thing, .cancelled, now) }
    withdrawAsked(by: number, now)
  }

  // MARK: What is under way

  mutating func end(_ thing: Thing, _ why: Ending, _ now: Int64) {
    guard things.contains(where: { $0.request == thing.request }) else { return }
    remove(thing, now)
    out.append(.ended(thing.request, why))
    if thing.isSeeming { forgetIdleQuestion(thing.app, now) }
  }

  private mutating func remove(_ thing: Thing, _ now: Int64) {
    things.removeAll { $0.request == thing.request }
    if thing.kind == .pressFix { pressFixEnded = max(pressFixEnded, now) }
  }

  mutating func disarm(_ app: Int, _ why: Ending, _ now: Int64, where isMeant: (Armed) -> Bool = { _ in true }) {
    disarm(apps[app].arms.filter(isMeant), of: app, why, now)
  }

  mutating func disarm(_ arms: [Armed], of app: Int, _ why: Ending, _ now: Int64) {
    for arm in arms {
      apps[app].arms.removeAll { $0 == arm }
      for question in open where question.arm == arm {
        close(question, .withdrawn, byPress: false, now)
        switch why {
        case .cancelled, .sessionEnded, .noPress: pause(question, now)
        default: break
        }
      }
      out.append(.ended(arm.request, why))
    }
  }

  /// D1, D5
  mutating func endAll(_ app: Int, _ now: Int64) {
    for question in open where question.app == app { close(question, .withdrawn, byPress: false, now) }
    forgetAsking(app)
    disarm(app, .changed, now)
    for thing in things where thing.app == app { end(thing, .changed, now) }
    for index in clients.indices where clients[index].app == app { forgetAllowances(index) }
    regions.removeAll { $0.app == app }
  }

  func standingRight(_ client: Client) -> Right? {
    switch apps[client.app].status {
    case .always: .always
    case .whenInUse: isInUse(client) ? .whenInUse : nil
    case .notDetermined: client.once == nil ? nil : .allowedOnce
    case .denied, .restricted: nil
    }
  }

  /// It believes that it may start, and may not.
  private func believes(_ client: Client) -> Bool {
    apps[client.app].status == .whenInUse && apps[client.app].kept.believesAlways && !isInUse(client)
  }

  private func notBefore(_ client: Client, _ right: Right, _ now: Int64) -> Int64 {
    let earliest = max(now - Self.minute, apps[client.app].changed, unlockedAt)
    return right == .always ? earliest : max(earliest, client.usedSince ?? client.opened)
  }

  mutating func give(
    _ request: UInt64, _ client: Client, _ kind: Thing.Kind, _ right: Right, until: Int64, _ now: Int64
  ) {
    let since = notBefore(client, right, now)
    var thing = Thing(
      kind: kind, request: request, client: client.number, app: client.app, right: right, until: until)
    if kind == .fix {
      out.append(
        .served(
          request: request, session: client.number, app: client.app, right: right, notBefore: since, expires: until))
    } else {
      thing.kind = kind == .updatesBehind && right != .allowedOnce ? .updatesBehind : .updates
      if thing.kind == .updatesBehind, right == .whenInUse { thing.last = now + 8 * Self.hour }
      out.append(
        .began(
          request: request, session: client.number, app: client.app, right: right,
          background: thing.kind == .updatesBehind, notBefore: since))
    }
    things.append(thing)
  }

  private mutating func take(
    _ request: UInt64, _ number: UInt64, _ timeout: Int64, _ needsPress: Bool, _ isImplicit: Bool, _ now: Int64
  ) {
    guard let index = client(number) else { return out.append(.refused(request, .noSession)) }
    let (client, app) = (clients[index], clients[index].app)
    if isLocked { return out.append(.refused(request, .locked)) }
    // A new session takes over from one that is away, unless a person is asked just now.
    if !isImplicit {
      let old = apps[app].arms.filter { arm in
        !arm.isImplicit && arm.session != number && clients.first { $0.number == arm.session }?.isAway == true
          && !open.contains { $0.arm == arm }
      }
      disarm(old, of: app, .takenOver, now)
    }
    // An app has one request, and beside it a watching client each of its sessions that has none.
    let isTaken =
      if isImplicit {
        apps[app].arms.contains { $0.session == number }
          || things.contains { $0.client == number && $0.wantsOneFix }
      } else {
        apps[app].arms.contains { !$0.isImplicit || $0.session == number }
          || things.contains { $0.app == app && $0.wantsOneFix }
      }
    if isTaken { return out.append(.refused(request, .alreadyArmed)) }
    let right = standingRight(client)
    if !needsPress, right != nil || believes(client) {
      if isDark { return out.append(.refused(request, .illegible("dark"))) }
      out.append(.acquiring(request))
      let until = now + min(timeout, Self.minute)
      if let right { return give(request, client, .fix, right, until: until, now) }
      things.append(Thing(kind: .seemingFix, request: request, client: number, app: app, until: until))
      askAlways(app, now)
      return
    }
    if !isImplicit, apps[app].kindOfPrompt != nil, let until = apps[app].kept.pauseUntil, now < until {
      return out.append(.refused(request, .tooSoon(retryAfter: .nanoseconds(until - now))))
    }
    keep(app, now) { $0.turn = $0.turn ?? 0 }
    let longest = isImplicit ? Self.day : Self.hour
    apps[app].arms.append(
      Armed(
        request: request, session: number, since: now, until: now + min(timeout, longest), isImplicit: isImplicit))
    out.append(.accepted(request))
  }

  private mutating func start(_ request: UInt64, _ number: UInt64, _ isBehind: Bool, _ now: Int64) {
    guard let index = client(number) else { return out.append(.refused(request, .noSession)) }
    let (client, app) = (clients[index], clients[index].app)
    if isLocked { return out.append(.refused(request, .locked)) }
    if apps[app].status == .denied { return out.append(.refused(request, .denied)) }
    if apps[app].status == .restricted { return out.append(.refused(request, .restricted)) }
    if things.contains(where: { $0.client == number && !$0.wantsOneFix }) {
      return out.append(.refused(request, .alreadyStarted))
    }
    let right = standingRight(client)
    if right == nil, !believes(client) {
      return out.append(.refused(request, apps[app].status == .notDetermined ? .notDetermined : .notInUse))
    }
    if isDark { return out.append(.refused(request, .illegible("dark"))) }
    out.append(.acquiring(request))
    if let right {
      give(request, client, isBehind ? .updatesBehind : .updates, right, until: now + Self.minute, now)
    } else {
      things.append(
        Thing(
          kind: isBehind ? .seemingUpdatesBehind : .seemingUpdates, request: request, client: number, app: app,
          until: now + Self.minute))
      askAlways(app, now)
    }
  }
}
