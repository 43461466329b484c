import AppStandings
import Authorization
import LineProtocol

/// A literal and slow implementation of the table: plain numbers, one rule after another. It shares no code and no
/// structure with `Authorization`.
struct TableModel {
  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000
  static let minute: Int64 = 60 * second
  static let hour: Int64 = 60 * minute
  static let day: Int64 = 24 * hour
  static let never = Int64.min / 2

  var apps: [App]
  /// The record of an app without a saved record.
  var fresh: [ModelRecord]
  /// The apps of each button; nil for all apps.
  var buttons: [Set<Int>?]
  var servesAll: Bool
  var isLocked = false
  var lockedAt = never
  var unlockedAt = never
  var clients: [Client] = []
  var activities: [Activity] = []
  var regions: [(app: Int, event: RegionEvent)] = []
  var open: [ModelPrompt] = []
  /// The requests for authorization that have no answer.
  var asking: [(app: Int, request: UInt64, client: UInt64, until: Int64)] = []
  /// The prompt that the button answers, and the start of its turn. The turn has no start while the light shows a
  /// one-time use.
  var atButton: (number: Int, since: Int64?)?
  /// The latest end of the one-time uses that the light shows.
  var usedUntil = never
  var areSurfacesOpen = false
  var prompts = 0
  /// Every mark of each button since the start, with the instant at which it began. (A9)
  var marks: [[(since: Int64, targets: Set<Target>)]]
  var marked = never
  var pressFixEnded = never
  var lastEdge = never
  /// The time for which the machine slept, and the instant at which the gateway last learned of it. (D6)
  var slept: Int64 = 0
  var woke = never
  var saidNo: (button: Int, down: Int64)?
  var isDark = false
  var lookedAt = never
  /// The down edge of the press that is being handled.
  var answeringDown = never
  var out: [Outcome] = []

  mutating func handle(_ event: ModelEvent, at now: Int64) -> [Outcome] {
    out = []
    if case .pressed(_, _, let up, _, _) = event { expire(to: up) } else { expire(to: now) }
    switch event {
    case .opened(let number, let app):
      clients.append(Client(number: number, app: app, opened: now))
      hello(app, now)
    case .lost(let number): updateConnection(number, now) { $0.isAway = true }
    case .resumed(let number):
      guard let index = client(number) else { break }
      hello(clients[index].app, now)
      updateConnection(number, now) { $0.isAway = false }
    case .left(let number): leave(number, now)
    case .moved(let number, let isBehind): updateConnection(number, now) { $0.isBehind = isBehind }
    case .cancelled(let number): cancel(number, now)
    case .requested(let request, let number, let timeout, let needsPress, let kind):
      take(request, number, timeout, needsPress, kind, now)
    case .started(let request, let number, let isBehind): start(request, number, isBehind, now)
    case .stopped(let number):
      for activity in activities where activity.client == number && !activity.wantsOneFix {
        end(activity, .cancelled, now)
      }
    case .asked(let request, let number, let requested): ask(request, number, requested, now)
    case .crossed(let app, let event): cross(app, event, now)
    case .edge(let time): lastEdge = max(lastEdge, time)
    case .pressed(let button, let down, let up, let illegible, let text):
      lastEdge = max(lastEdge, up)
      press(button, down, up, illegible, text, now)
    case .held(let button, let down, let multiple):
      lastEdge = max(lastEdge, now)
      hold(button, down, multiple, now)
    case .answered(let number, let answer):
      guard let prompt = open.first(where: { $0.number == number && $0.isListed }), offers(prompt.kind, answer) else {
        break
      }
      var accuracy = answer.accuracy
      // Without the text, and with "keep" or "no", an answer makes no accuracy more precise.
      let mayGive = answer.showsText && ![.keep, .no].contains(answer.choice)
      switch (apps[prompt.app].kept.accuracy, accuracy) {
      case (.reduced, .full?), (.place, .full?), (.place, .reduced?): if !mayGive { accuracy = nil }
      default: break
      }
      self.answer(prompt, answer.choice, accuracy, nil, now)
    case .setStatus(let app, let status, nil): if status != .restricted { order(app, now) { $0.setByOwner(status) } }
    case .setStatus(let app, let status, let length?): limit(app, status, length, now)
    case .setAccuracy(let app, let accuracy): order(app, now) { $0.accuracy = accuracy }
    case .reset(let app):
      let fresh = fresh[app]
      order(app, now, isReset: true) { $0 = fresh }
    case .use(let app): for client in clients where client.app == app { act(client.number, now) }
    case .lockOrdered: if !isLocked { lock(now) }
    case .served(let request):
      if let index = activities.firstIndex(where: { $0.request == request && !$0.isApparent }) {
        if activities[index].isUpdates { activities[index].until = nil } else { remove(activities[index], now) }
      }
    case .failed(let request):
      if let activity = activities.first(where: { $0.request == request && !$0.isApparent }) { remove(activity, now) }
    case .legible(let isLegible):
      isDark = !isLegible
      lookedAt = now
      if isDark { for activity in activities where activity.isStanding { end(activity, .illegible("dark"), now) } }
    case .surfaces(let areOpen): areSurfacesOpen = areOpen
    case .used(let end): usedUntil = max(usedUntil, end)
    case .slept(let total):
      for index in clients.indices where clients[index].usedSince != nil {
        clients[index].lastAct = max(clients[index].lastAct - max(0, total - slept), now - 15 * Self.minute)
      }
      slept = max(slept, total)
      woke = now
      expire(to: now)
    case .timePassed: break
    }
    showNext(now)
    mark(now)
    if activities.contains(where: \.isStanding) || isDark, now - lookedAt >= Self.second {
      lookedAt = now
      out.append(.legibilityRequested)
    }
    return out
  }

  // MARK: Time

  /// Ends everything that is due up to a time, in the order of time.
  private mutating func expire(to time: Int64) {
    while true {
      var due = turnEnd
      for prompt in open { due = min(due, prompt.due) }
      for mine in asking { due = min(due, mine.until) }
      for app in apps { due = min(due, endOfStatus(app)) }
      for arm in apps.flatMap(\.arms) { due = min(due, arm.until) }
      for activity in activities { due = min(due, activity.until ?? .max, activity.last ?? .max) }
      for client in clients { due = min(due, graceEnd(client), useEnd(client)) }
      for app in apps where app.kindOfPrompt != nil && !app.arms.isEmpty {
        if let end = app.kept.pauseUntil, end > marked { due = min(due, end) }
      }
      guard due <= time, due != .max else { return }
      for app in apps.indices where endOfStatus(apps[app]) == due { endStatus(app, due) }
      for number in open.map(\.number) {
        guard let prompt = open.first(where: { $0.number == number }), prompt.due == due else { continue }
        if let first = prompt.first {
          answer(prompt, .once, nil, first.up, due)
        } else {
          unanswered(prompt, due)
        }
      }
      if turnEnd == due { endTurn(due) }
      for mine in asking.sorted(by: { $0.request < $1.request }) where mine.until == due {
        asking.removeAll { $0.request == mine.request }
        out.append(.ended(mine.request, .noPress))
        announce(mine.app)
      }
      for app in apps.indices { disarm(app, .noPress, due) { $0.until == due } }
      let inOrder = activities.sorted { $0.request < $1.request }
      for activity in inOrder where activity.until == due && (activity.kind == .pressFix || activity.kind == .fix) {
        end(activity, .expired, due)
      }
      for activity in activities where activity.until == due && activity.isApparent { end(activity, .expired, due) }
      for activity in activities where activity.isUpdates {
        if activity.until == due {
          end(activity, .expired, due)
        } else if activity.last == due {
          endForLackOfUse(activity, due)
        }
      }
      for client in clients.sorted(by: { $0.number < $1.number }) {
        if graceEnd(client) == due {
          if client.isAway {
            leave(client.number, due)
            out.append(.sessionEnded(client.number))
          } else {
            outOfUse(client.number, due)
          }
        } else if useEnd(client) == due {
          outOfUse(client.number, due)
        }
      }
      mark(due)
    }
  }

  // MARK: Rights that end (D6)

  /// The instant at which the status of an app ends. The end is never before the moment at which the gateway learned of
  /// the latest sleep.
  private func endOfStatus(_ app: App) -> Int64 { app.kept.end.map { max($0 - slept, woke) } ?? .max }

  /// Gives a status for a time. The app must get more than without it.
  private mutating func limit(_ app: Int, _ status: AuthorizationStatus, _ length: Int64, _ now: Int64) {
    let kept = apps[app].kept
    let back = kept.back ?? kept.status
    let gives: [AuthorizationStatus]
    switch back {
    case .denied, .restricted: gives = [.notDetermined, .whenInUse, .always]
    case .notDetermined: gives = [.whenInUse, .always]
    case .whenInUse: gives = [.always]
    case .always: gives = []
    }
    guard gives.contains(status) else { return }
    let isBackProvisional = kept.back == nil ? kept.isProvisional : kept.isBackProvisional
    let end = now + slept + min(length, 30 * Self.day)
    order(app, now) {
      $0.setByOwner(status)
      $0.end = end
      $0.back = back
      $0.isBackProvisional = isBackProvisional
    }
  }

  private mutating func endStatus(_ app: Int, _ now: Int64) {
    let kept = apps[app].kept
    guard let back = kept.back else { return }
    out.append(.rightEnded(app: app, kept.status, back: back))
    order(app, now) {
      $0.status = back
      $0.isProvisional = kept.isBackProvisional
      $0.unlimit()
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

  /// Updates the used grace period, and changes the state on which it depends.
  private mutating func updateConnection(_ number: UInt64, _ now: Int64, _ change: (inout Client) -> Void) {
    guard let index = client(number) else { return }
    countGrace(index, now)
    change(&clients[index])
    expire(to: now)
  }

  private mutating func countGrace(_ index: Int, _ now: Int64) {
    if clients[index].isSpending {
      clients[index].graceSpent += max(0, now - clients[index].graceCounted)
      clients[index].graceSpent = min(clients[index].graceSpent, 5 * Self.second)
    }
    clients[index].graceCounted = now
  }

  mutating func stopUse(_ index: Int, _ now: Int64) {
    countGrace(index, now)
    clients[index].usedSince = nil
    clients[index].lastAct = Self.never
  }

  /// Records an act of the user for the app.
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
    stopUse(index, now)
    let app = clients[index].app
    if apps[app].isDisplay { return }
    let wasPrecise = clients[index].isPrecise
    forgetAllowances(index)
    for activity in activities where activity.client == number && activity.isStanding {
      switch (activity.right, activity.kind) {
      case (.whenInUse, .updatesBehind), (.always, .updates), (.always, .updatesBehind):
        if wasPrecise { end(activity, .changed, now) }
      case (.whenInUse, _): endForLackOfUse(activity, now)
      case (.allowedOnce, _): end(activity, .notInUse, now)
      default: break
      }
    }
  }

  mutating func forgetAllowances(_ index: Int) {
    if clients[index].once != nil || clients[index].isPrecise { announce(clients[index].app) }
    clients[index].once = nil
    clients[index].isPrecise = false
  }

  /// An app that sees "always" is not notified: to the app, the fix or updates appear to find no fix. (B5)
  private mutating func endForLackOfUse(_ activity: Activity, _ now: Int64) {
    guard apps[activity.app].kept.seesAlways else { return end(activity, .notInUse, now) }
    remove(activity, now)
    out.append(.withheld(activity.request))
    var apparent = activity
    switch activity.kind {
    case .updates: apparent.kind = .apparentUpdates
    case .updatesBehind: apparent.kind = .apparentUpdatesBehind
    default: apparent.kind = .apparentFix
    }
    if activity.isUpdates { apparent.until = now + Self.minute }
    apparent.last = nil
    activities.append(apparent)
    askAlways(activity.app, now)
  }

  private mutating func leave(_ number: UInt64, _ now: Int64) {
    guard let index = client(number) else { return }
    let app = clients[index].app
    disarm(app, .sessionEnded, now) { $0.session == number }
    for activity in activities where activity.client == number { end(activity, .sessionEnded, now) }
    withdrawAsked(by: number, now)
    clients.remove(at: index)
    if !clients.contains(where: { $0.app == app }) {
      regions.removeAll { $0.app == app }
      closeUnneededPrompt(app, now)
    }
  }

  private mutating func hello(_ app: Int, _ now: Int64) {
    if let until = apps[app].kept.seesAlwaysUntil, until <= now { keep(app, now) { $0.seesAlwaysUntil = nil } }
  }

  private mutating func cancel(_ number: UInt64, _ now: Int64) {
    guard let index = client(number) else { return }
    let app = clients[index].app
    disarm(app, .cancelled, now) { $0.session == number }
    for activity in activities where activity.client == number && activity.wantsOneFix {
      end(activity, .cancelled, now)
    }
    withdrawAsked(by: number, now)
  }

  // MARK: Requests, grants and updates

  mutating func end(_ activity: Activity, _ why: Ending, _ now: Int64) {
    guard activities.contains(where: { $0.request == activity.request }) else { return }
    remove(activity, now)
    out.append(.ended(activity.request, why))
    if activity.isApparent { closeUnneededPrompt(activity.app, now) }
  }

  private mutating func remove(_ activity: Activity, _ now: Int64) {
    activities.removeAll { $0.request == activity.request }
    guard activity.kind == .pressFix else { return }
    // For a client that polls, A8 applies for the 2 s of the grant.
    pressFixEnded = max(pressFixEnded, activity.isPolled ? activity.until! - 2 * Self.second : now)
  }

  mutating func disarm(_ app: Int, _ why: Ending, _ now: Int64, where isIncluded: (Armed) -> Bool = { _ in true }) {
    disarm(apps[app].arms.filter(isIncluded), of: app, why, now)
  }

  mutating func disarm(_ arms: [Armed], of app: Int, _ why: Ending, _ now: Int64) {
    for arm in arms {
      apps[app].arms.removeAll { $0 == arm }
      for prompt in open where prompt.arm == arm {
        close(prompt, .withdrawn)
        switch why {
        case .cancelled, .sessionEnded, .noPress: pause(prompt, now)
        default: break
        }
      }
      out.append(.ended(arm.request, why))
    }
  }

  /// Ends the app's activity, because its authorization changed. A press and the use end only if the app gets less. (D1,
  /// D5)
  mutating func endActivity(_ app: Int, takes: Bool, _ now: Int64) {
    for prompt in open where prompt.app == app { close(prompt, .withdrawn) }
    forgetAsking(app)
    disarm(app, .changed, now)
    for activity in activities where activity.app == app && (takes || activity.kind != .pressFix) {
      end(activity, .changed, now)
    }
    for index in clients.indices where clients[index].app == app {
      forgetAllowances(index)
      if takes { stopUse(index, now) }
    }
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

  /// The status and the accuracy that a session sees. (B1, B5, D3)
  func visible(to client: Client) -> (AuthorizationStatus, FixAccuracy) {
    let app = apps[client.app]
    var status = app.status
    if status == .whenInUse, app.kept.seesAlways { status = .always }
    if status == .notDetermined, client.once != nil { status = .whenInUse }
    return (status, client.isPrecise ? .full : client.once ?? app.kept.accuracy)
  }

  /// Whether the app sees "always" but may not start now. (B5)
  private func believes(_ client: Client) -> Bool {
    apps[client.app].status == .whenInUse && apps[client.app].kept.seesAlways && !isInUse(client)
  }

  private func notBefore(_ client: Client, _ right: Right, _ now: Int64) -> Int64 {
    let earliest = max(now - Self.minute, apps[client.app].changed, unlockedAt)
    return right == .always ? earliest : max(earliest, client.usedSince ?? client.opened)
  }

  mutating func give(
    _ request: UInt64, _ client: Client, _ kind: Activity.Kind, _ right: Right, until: Int64, _ now: Int64
  ) {
    let since = notBefore(client, right, now)
    var activity = Activity(
      kind: kind, request: request, client: client.number, app: client.app, right: right, until: until)
    if kind == .fix {
      out.append(
        .served(
          request: request, session: client.number, app: client.app, right: right, notBefore: since, expires: until))
    } else {
      activity.kind = kind == .updatesBehind && right != .allowedOnce ? .updatesBehind : .updates
      if activity.kind == .updatesBehind, right == .whenInUse { activity.last = now + 8 * Self.hour }
      out.append(
        .began(
          request: request, session: client.number, app: client.app, right: right,
          background: activity.kind == .updatesBehind, notBefore: since))
    }
    activities.append(activity)
  }

  private mutating func take(
    _ request: UInt64, _ number: UInt64, _ timeout: Int64, _ needsPress: Bool, _ kind: RequestKind, _ now: Int64
  ) {
    let isImplicit = kind != .explicit
    guard let index = client(number) else { return out.append(.refused(request, .noSession)) }
    let (client, app) = (clients[index], clients[index].app)
    if isLocked { return out.append(.refused(request, .locked)) }
    if isImplicit {
      if apps[app].status == .denied { return out.append(.refused(request, .denied)) }
      if apps[app].status == .restricted { return out.append(.refused(request, .restricted)) }
    }
    // A new session takes over from a disconnected one, unless a prompt about the arm is open.
    if !isImplicit {
      let old = apps[app].arms.filter { arm in
        !arm.isImplicit && arm.session != number && clients.first { $0.number == arm.session }?.isAway == true
          && !open.contains { $0.arm == arm }
      }
      disarm(old, of: app, .takenOver, now)
    }
    // An app has one explicit request. In addition, each session without an explicit request may have one implicit
    // request.
    let isTaken =
      if isImplicit {
        apps[app].arms.contains { $0.session == number }
          || activities.contains { $0.client == number && $0.wantsOneFix }
      } else {
        apps[app].arms.contains { !$0.isImplicit || $0.session == number }
          || activities.contains { $0.app == app && $0.wantsOneFix }
      }
    if isTaken { return out.append(.refused(request, .alreadyArmed)) }
    let right = standingRight(client)
    if !needsPress, right != nil || believes(client) {
      if isDark { return out.append(.refused(request, .illegible("dark"))) }
      out.append(.acquiring(request))
      let until = now + min(timeout, Self.minute)
      if let right { return give(request, client, .fix, right, until: until, now) }
      activities.append(Activity(kind: .apparentFix, request: request, client: number, app: app, until: until))
      askAlways(app, now)
      return
    }
    if !isImplicit, apps[app].kindOfPrompt != nil, let until = apps[app].kept.pauseUntil, now < until {
      return out.append(.refused(request, .tooSoon(retryAfter: .nanoseconds(until - now))))
    }
    keep(app, now) { $0.turn = $0.turn ?? 0 }
    let longest = isImplicit ? Self.day : Self.hour
    apps[app].arms.append(
      Armed(request: request, session: number, since: now, until: now + min(timeout, longest), kind: kind))
    out.append(.accepted(request))
  }

  private mutating func start(_ request: UInt64, _ number: UInt64, _ isBehind: Bool, _ now: Int64) {
    guard let index = client(number) else { return out.append(.refused(request, .noSession)) }
    let (client, app) = (clients[index], clients[index].app)
    if isLocked { return out.append(.refused(request, .locked)) }
    if apps[app].status == .denied { return out.append(.refused(request, .denied)) }
    if apps[app].status == .restricted { return out.append(.refused(request, .restricted)) }
    if activities.contains(where: { $0.client == number && !$0.wantsOneFix }) {
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
      activities.append(
        Activity(
          kind: isBehind ? .apparentUpdatesBehind : .apparentUpdates, request: request, client: number, app: app,
          until: now + Self.minute))
      askAlways(app, now)
    }
  }
}
