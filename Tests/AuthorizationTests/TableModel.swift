import Authorization

/// What is seen from outside, reduced to what the table of `authorization.md` speaks of. Apps are numbers.
enum Outcome: Hashable {
  case saved(app: Int, TableModel.Kept)
  case forgotten(app: Int)
  case savedLock(Bool)
  case accepted(UInt64)
  case acquiring(UInt64)
  case asking(UInt64)
  case presented(UInt64)
  case refused(UInt64, Refusal)
  case ended(UInt64, Ending)
  case served(request: UInt64, session: UInt64, app: Int, right: Right, notBefore: Int64, expires: Int64)
  case began(request: UInt64, session: UInt64, app: Int, right: Right, background: Bool, notBefore: Int64)
  case withheld(UInt64)
  case erased(app: Int?)
  case told(session: UInt64?, PressNews)
  case announced(app: Int)
  case announcedLock(Bool)
  case toldRegion(app: Int, RegionEvent)
  case toldOwners(app: Int, RegionEvent)
  case sessionOver(UInt64)
  case shown(app: Int, Prompt.Kind, at: Int64, until: Int64)
  case closed(app: Int, PromptClosing)
  case blipped(Blip)
  case looked
}

/// What happens, in the model's words: times are nanoseconds.
enum Happening: Hashable {
  case opened(session: UInt64, app: Int)
  case lost(session: UInt64)
  case resumed(session: UInt64)
  case left(session: UInt64)
  case moved(session: UInt64, background: Bool)
  case requested(UInt64, session: UInt64, timeout: Int64, needsPress: Bool, implicit: Bool)
  case cancelled(session: UInt64)
  case started(UInt64, session: UInt64, background: Bool)
  case stopped(session: UInt64)
  case asked(UInt64, session: UInt64, Wish)
  case crossed(app: Int, RegionEvent)
  case edge(Int64)
  case pressed(button: Int, down: Int64, up: Int64, illegible: Bool, text: Bool)
  case held(button: Int, down: Int64, multiple: Int)
  case answered(prompt: Int, Answer)
  case setStatus(app: Int, Status)
  case setAccuracy(app: Int, Accuracy)
  case use(app: Int)
  case reset(app: Int)
  case lockOrdered
  case served(UInt64)
  case failed(UInt64)
  case legible(Bool)
  case timePassed
}

/// The table read as literally as possible, and slowly: plain numbers, one rule after the other. It shares no code and
/// no structure with `Authorization`.
struct TableModel {
  /// What survives a restart.
  struct Kept: Hashable {
    var status: Status
    var isConfirmed: Bool
    var accuracy: Accuracy
    var isProvisional = false
    var seesAlwaysUntil: Int64?
    var upgradeAsked = false
    var pauseUntil: Int64?
    var pauseLength: Int64?
    var turn: Int64?

    var believesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
  }

  struct App {
    var kept: Kept
    var isRestricted: Bool
    var isDisplay: Bool
    var changed = never
    /// At most one that is explicit, and one that is implicit for each session.
    var arms: [Armed] = []

    var status: Status { isRestricted ? .restricted : kept.status }
    /// A1, A4
    var kindOfPrompt: Prompt.Kind? {
      switch status {
      case .notDetermined: kept.isConfirmed ? nil : .confirm
      case .denied: .introduce
      case .whenInUse, .always, .restricted: nil
      }
    }
  }

  struct Armed: Hashable {
    var request: UInt64
    var session: UInt64
    var since: Int64
    var until: Int64
    var isImplicit: Bool
  }

  struct Client {
    var number: UInt64
    var app: Int
    var opened: Int64
    var isAway = false
    var isBehind = false
    var usedSince: Int64?
    var lastAct = never
    /// Grace that was used up, until when that was counted, and whether it goes on.
    var graceSpent: Int64 = 0
    var graceCounted = never
    var once: Accuracy?
    var isPrecise = false

    var isSpending: Bool { isAway || isBehind && usedSince != nil }
  }

  /// Whatever is under way for a session, or looks to it as if it were.
  struct Thing {
    enum Kind { case pressFix, fix, updates, updatesBehind, seemingFix, seemingUpdates, seemingUpdatesBehind }
    var kind: Kind
    var request: UInt64
    var client: UInt64
    var app: Int
    var right: Right?
    /// It ends here as having found no fix.
    var until: Int64?
    /// It ends here whatever it found. (C3)
    var last: Int64?

    var isSeeming: Bool { kind == .seemingFix || kind == .seemingUpdates || kind == .seemingUpdatesBehind }
    var isUpdates: Bool { kind == .updates || kind == .updatesBehind }
    var wantsOneFix: Bool { kind == .pressFix || kind == .fix || kind == .seemingFix }
    var isStanding: Bool { kind == .fix || isUpdates }
  }

  struct Question {
    var number: Int
    var app: Int
    var kind: Prompt.Kind
    /// The press that opened it, and the arm that the press found.
    var press: (button: Int, down: Int64, up: Int64)?
    var arm: Armed?
    /// The session that asked.
    var client: UInt64?
    var shown: Int64
    var until: Int64
    var first: (button: Int, up: Int64)?

    var isAsked: Bool { client != nil }
    var due: Int64 { first.map { $0.up + 400 * millisecond } ?? until }
  }

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
  var open: Question?
  var waiting: [(app: Int, kind: Prompt.Kind, client: UInt64?)] = []
  var prompts = 0
  var closedWithoutPress = never
  var oneTimeEnded = never
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
      guard let open, open.number == number, takes(open.kind, answer) else { break }
      self.answer(answer.choice, answer.showsText || answer.accuracy == .reduced ? answer.accuracy : nil, nil, now)
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
      var due = open?.due ?? .max
      for arm in apps.flatMap(\.arms) { due = min(due, arm.until) }
      for thing in things { due = min(due, thing.until ?? .max, thing.last ?? .max) }
      for client in clients { due = min(due, graceEnd(client), useEnd(client)) }
      guard due <= time, due != .max else { return }
      if let question = open, question.due == due {
        if let first = question.first { answer(.once, nil, (first.up, false), due) } else { unanswered(due) }
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
    if thing.right == .once { oneTimeEnded = max(oneTimeEnded, now) }
  }

  mutating func disarm(_ app: Int, _ why: Ending, _ now: Int64, where isMeant: (Armed) -> Bool = { _ in true }) {
    for arm in apps[app].arms where isMeant(arm) {
      apps[app].arms.removeAll { $0 == arm }
      if open?.arm == arm { close(.withdrawn, byPress: false, now) }
      out.append(.ended(arm.request, why))
    }
  }

  /// D1, D5
  mutating func endAll(_ app: Int, _ now: Int64) {
    waiting.removeAll { $0.app == app }
    if open?.app == app { close(.withdrawn, byPress: false, now) }
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
