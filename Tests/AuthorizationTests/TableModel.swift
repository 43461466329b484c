import Authorization

/// What is seen from outside, reduced to what the table of `authorization.md` speaks of. Apps are numbers.
enum Outcome: Hashable {
  case saved(app: Int, status: Status, isConfirmed: Bool, pauseUntil: Int64?, pauseLength: Int64?, turn: Int64?)
  case savedLock(Bool)
  case accepted(UInt64)
  case refused(UInt64, Refusal)
  case ended(UInt64, Ending)
  case served(request: UInt64, session: UInt64, app: Int, right: Right, expires: Int64)
  case erased
  case told(session: UInt64?, PressNews)
  case announced(app: Int)
  case announcedLock(Bool)
  case shown(app: Int, Prompt.Kind, at: Int64, until: Int64)
  case closed(app: Int, PromptClosing)
  case blipped(Blip)
}

/// What happens, in the model's words: times are nanoseconds.
enum Happening: Hashable {
  case opened(session: UInt64, app: Int)
  case left(session: UInt64)
  case requested(UInt64, session: UInt64, timeout: Int64)
  case cancelled(session: UInt64)
  case pressed(button: Int, down: Int64, up: Int64, illegible: Bool)
  case held(button: Int, down: Int64, multiple: Int)
  case answered(prompt: Int, yes: Bool)
  case lockOrdered
  case served(UInt64)
  case failed(UInt64)
  case timePassed
}

/// The table read as literally as possible, and slowly: one struct per app, plain numbers, one rule after the other.
/// It shares no code and no structure with `Authorization`.
struct TableModel {
  struct App {
    var status: Status
    var isConfirmed: Bool
    var isRestricted: Bool
    var pauseUntil: Int64?
    var pauseLength: Int64?
    var turn: Int64?
    /// What is armed, and what is in flight; never both.
    var armed: (request: UInt64, session: UInt64, since: Int64, until: Int64)?
    var granted: (request: UInt64, session: UInt64, isOneTime: Bool, until: Int64)?

    var seenStatus: Status { isRestricted ? .restricted : status }
    /// A1, A4
    var kindOfPrompt: Prompt.Kind? {
      switch seenStatus {
      case .notDetermined: isConfirmed ? nil : .confirm
      case .denied: .introduce
      case .whenInUse, .always, .restricted: nil
      }
    }
  }

  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000
  static let never = Int64.min / 2

  var apps: [App]
  /// Which apps each button considers; nil is all.
  var buttons: [Set<Int>?]
  var servesAll: Bool
  var isLocked = false
  var lockedAt = never
  var sessions: [UInt64: Int] = [:]
  var open: (number: Int, app: Int, kind: Prompt.Kind, button: Int, pressUp: Int64, shown: Int64, until: Int64)?
  var prompts = 0
  var closedWithoutPress = never
  var oneTimeEnded = never
  var saidNo: (button: Int, down: Int64)?

  mutating func happen(_ event: Happening, at now: Int64) -> [Outcome] {
    var out: [Outcome] = []
    if case .pressed(_, _, let up, _) = event { pass(to: up, &out) } else { pass(to: now, &out) }
    switch event {
    case .opened(let session, let app): sessions[session] = app
    case .left(let session):
      if sessions[session] != nil { drop(session, .sessionEnded, now, &out) }
      sessions[session] = nil
    case .cancelled(let session): if sessions[session] != nil { drop(session, .cancelled, now, &out) }
    case .requested(let request, let session, let timeout): arm(request, session, timeout, now, &out)
    case .pressed(let button, let down, let up, let illegible): press(button, down, up, illegible, now, &out)
    case .held(let button, let down, let multiple): hold(button, down, multiple, now, &out)
    case .answered(let number, let yes):
      if let prompt = open, prompt.number == number {
        answer(yes, pressUp: prompt.pressUp, byPress: false, now, &out)
      }
    case .lockOrdered: if !isLocked { lock(now, &out) }
    case .served(let request), .failed(let request):
      for app in apps.indices where apps[app].granted?.request == request { endGrant(app, now) }
    case .timePassed: break
    }
    return out
  }

  /// Everything that is due up to a time, one thing after the other in the order of its time.
  private mutating func pass(to time: Int64, _ out: inout [Outcome]) {
    while true {
      let promptDue = open?.until ?? .max
      let armDue = apps.compactMap { $0.armed?.until }.min() ?? .max
      let grantDue = apps.compactMap { $0.granted?.until }.min() ?? .max
      let due = min(promptDue, armDue, grantDue)
      guard due <= time, due != .max else { return }
      if promptDue == due, let prompt = open {
        close(.unanswered, byPress: false, due, &out)
        let length = min((apps[prompt.app].pauseLength ?? 300 * Self.second) * 2, 86_400 * Self.second)
        apps[prompt.app].pauseLength = length
        apps[prompt.app].pauseUntil = due + length
        save(prompt.app, &out)
        disarm(prompt.app, .noPress, due, &out)
      } else if armDue == due {
        for app in apps.indices where apps[app].armed?.until == due { disarm(app, .noPress, due, &out) }
      } else {
        for app in apps.indices where apps[app].granted?.until == due {
          out.append(.ended(apps[app].granted!.request, .expired))
          endGrant(app, due)
        }
      }
    }
  }

  private mutating func arm(
    _ request: UInt64, _ session: UInt64, _ timeout: Int64, _ now: Int64, _ out: inout [Outcome]
  ) {
    guard let app = sessions[session] else { return out.append(.refused(request, .noSession)) }
    if isLocked { return out.append(.refused(request, .locked)) }
    if apps[app].armed != nil || apps[app].granted != nil { return out.append(.refused(request, .alreadyArmed)) }
    if apps[app].kindOfPrompt != nil, let until = apps[app].pauseUntil, now < until {
      return out.append(.refused(request, .tooSoon(retryAfter: .nanoseconds(until - now))))
    }
    apps[app].armed = (request, session, now, now + timeout)
    out.append(.accepted(request))
  }

  private mutating func press(
    _ button: Int, _ down: Int64, _ up: Int64, _ illegible: Bool, _ now: Int64, _ out: inout [Outcome]
  ) {
    if isLocked { return out.append(.told(session: nil, .locked)) }  // D4
    if up + 60 * Self.second <= now { return }  // its grant would have expired
    if let prompt = open {
      guard button == prompt.button || buttons[button]?.contains(prompt.app) == true else { return }
      guard down - prompt.shown >= Self.second else { return }
      if illegible { return out.append(.told(session: apps[prompt.app].armed!.session, .illegible("dark"))) }
      return answer(true, pressUp: up, byPress: true, now, &out)
    }
    if down - closedWithoutPress < Self.second { return }
    if apps.contains(where: { $0.granted?.isOneTime == true }) || down - oneTimeEnded < 2 * Self.second {
      return out.append(.blipped(.acquiring))  // A8
    }
    let here = apps.indices.filter { apps[$0].armed != nil && buttons[button]?.contains($0) != false }
    let inTime = here.filter { down - apps[$0].armed!.since >= 300 * Self.millisecond }
    let restricted = inTime.filter { apps[$0].isRestricted }
    for app in restricted { out.append(.told(session: apps[app].armed!.session, .restricted)) }  // A5
    let inOrder = inTime.filter { !apps[$0].isRestricted }.sorted { left, right in
      let (l, r) = (apps[left], apps[right])
      if (l.turn ?? 0) != (r.turn ?? 0) { return (l.turn ?? 0) < (r.turn ?? 0) }
      if l.armed!.since != r.armed!.since { return l.armed!.since < r.armed!.since }
      return l.armed!.request < r.armed!.request
    }
    let free = inOrder.filter { apps[$0].kindOfPrompt == nil }
    let chosen = servesAll && !free.isEmpty ? free : Array((free + inOrder).prefix(1))
    if chosen.isEmpty {  // A6
      for app in here where !inTime.contains(app) {
        out.append(.told(session: apps[app].armed!.session, .armedTooLate))
      }
      if !apps.contains(where: { $0.armed != nil }) { out.append(.told(session: nil, .nothingArmed)) }
      if restricted.isEmpty { out.append(.blipped(.nothingWaiting)) }
    } else if illegible {  // A7
      for app in chosen { out.append(.told(session: apps[app].armed!.session, .illegible("dark"))) }
    } else if let kind = apps[chosen[0]].kindOfPrompt {  // A1, A4
      prompts += 1
      let shown = max(now, up)
      let until = min(shown + 10 * Self.second, up + 60 * Self.second)
      open = (prompts, chosen[0], kind, button, up, shown, until)
      out.append(.shown(app: chosen[0], kind, at: shown, until: until))
    } else {  // A2, A3
      for app in chosen { serve(app, pressUp: up, &out) }
    }
  }

  private mutating func serve(_ app: Int, pressUp: Int64, _ out: inout [Outcome]) {
    apps[app].turn = (apps.compactMap(\.turn).max() ?? 0) + 1
    save(app, &out)
    let armed = apps[app].armed!
    let right: Right =
      switch apps[app].status {
      case .whenInUse: .whenInUse
      case .always: .always
      default: .once
      }
    apps[app].armed = nil
    apps[app].granted = (armed.request, armed.session, right == .once, pressUp + 60 * Self.second)
    out.append(.told(session: armed.session, .authorized))
    out.append(
      .served(
        request: armed.request, session: armed.session, app: app, right: right, expires: pressUp + 60 * Self.second))
  }

  private mutating func answer(_ yes: Bool, pressUp: Int64, byPress: Bool, _ now: Int64, _ out: inout [Outcome]) {
    let app = open!.app
    close(yes ? .yes : .no, byPress: byPress, now, &out)
    let before = apps[app].seenStatus
    apps[app].pauseUntil = nil
    apps[app].pauseLength = nil
    apps[app].status = yes ? .notDetermined : .denied
    if yes { apps[app].isConfirmed = true }
    if apps[app].seenStatus != before { out.append(.announced(app: app)) }
    if yes {
      serve(app, pressUp: pressUp, &out)
    } else {
      save(app, &out)
      disarm(app, .denied, now, &out)
    }
  }

  private mutating func hold(_ button: Int, _ down: Int64, _ multiple: Int, _ now: Int64, _ out: inout [Outcome]) {
    let goesOn = saidNo.map { $0.button == button && $0.down == down } ?? false
    saidNo = nil
    if multiple == 2 {
      if goesOn, !isLocked { lock(now, &out) }
    } else if isLocked {
      // A hold that began before the lock was meant to lock.
      guard down >= lockedAt else { return }
      isLocked = false
      out += [.savedLock(false), .announcedLock(false)]
    } else if open != nil {
      answer(false, pressUp: 0, byPress: false, now, &out)
      if apps.contains(where: { $0.granted != nil }) { lock(now, &out) } else { saidNo = (button, down) }
    } else {
      lock(now, &out)
    }
  }

  private mutating func lock(_ now: Int64, _ out: inout [Outcome]) {
    isLocked = true
    lockedAt = now
    out += [.erased, .savedLock(true), .announcedLock(true)]
    if open != nil { close(.locked, byPress: false, now, &out) }
    for app in apps.indices {
      if let grant = apps[app].granted {
        out.append(.ended(grant.request, .locked))
        endGrant(app, now)
      }
      disarm(app, .locked, now, &out)
    }
  }

  private mutating func drop(_ session: UInt64, _ ending: Ending, _ now: Int64, _ out: inout [Outcome]) {
    for app in apps.indices {
      if apps[app].armed?.session == session { disarm(app, ending, now, &out) }
      if let grant = apps[app].granted, grant.session == session {
        out.append(.ended(grant.request, ending))
        endGrant(app, now)
      }
    }
  }

  private mutating func disarm(_ app: Int, _ ending: Ending, _ time: Int64, _ out: inout [Outcome]) {
    guard let armed = apps[app].armed else { return }
    apps[app].armed = nil
    if open?.app == app { close(.withdrawn, byPress: false, time, &out) }
    out.append(.ended(armed.request, ending))
  }

  private mutating func endGrant(_ app: Int, _ time: Int64) {
    if apps[app].granted!.isOneTime { oneTimeEnded = max(oneTimeEnded, time) }
    apps[app].granted = nil
  }

  private mutating func close(_ how: PromptClosing, byPress: Bool, _ time: Int64, _ out: inout [Outcome]) {
    out.append(.closed(app: open!.app, how))
    open = nil
    if !byPress { closedWithoutPress = max(closedWithoutPress, time) }
  }

  private func save(_ app: Int, _ out: inout [Outcome]) {
    out.append(
      .saved(
        app: app, status: apps[app].status, isConfirmed: apps[app].isConfirmed, pauseUntil: apps[app].pauseUntil,
        pauseLength: apps[app].pauseLength, turn: apps[app].turn))
  }
}
