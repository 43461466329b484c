import Clocks

// AUTHORIZE: B1 to B4, B7, and the question of D3.
extension Authorization {
  mutating func ask(
    _ request: RequestID, in session: SessionID, _ wish: Wish, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // D4
    let status = status(of: app)
    if status == .denied { return effects.append(.refuse(request, .denied)) }  // B4
    if status == .restricted { return effects.append(.refuse(request, .restricted)) }  // B4
    guard let kind = question(wish, of: app, in: session), promptKind(of: app) == nil else {
      return effects.append(.present(request))  // B7
    }
    if let pause = record(of: app).promptPause, now < pause.until {
      return effects.append(.refuse(request, .tooSoon(retryAfter: pause.until - now)))
    }
    if kind == .upgrade {
      var record = record(of: app)
      record.hasAskedUpgrade = true
      save(record, at: now, into: &effects)
    }
    queue.append(QueuedPrompt(kind: kind, app: app, cause: .session(session)))
    effects.append(.ask(request))
  }

  /// What the person is to be asked; nil where there is nothing to ask.
  private func question(_ wish: Wish, of app: AppID, in session: SessionID) -> Prompt.Kind? {
    let record = record(of: app)
    let mayGetPrecise = accuracy(of: app, in: session) == .reduced
    switch (visibleStatus(of: app, in: session), wish) {
    case (.notDetermined, .whenInUse): return .authorize  // B1
    case (.notDetermined, .always): return .authorizeAlways  // B2
    // B3; an app that was allowed once has no status that could be upgraded.
    case (.whenInUse, .always): return record.status == .whenInUse && !record.hasAskedUpgrade ? .upgrade : nil
    case (.whenInUse, .fullAccuracy), (.always, .fullAccuracy): return mayGetPrecise ? .precise : nil  // D3
    case (.notDetermined, .fullAccuracy), (.whenInUse, .whenInUse), (.always, .whenInUse), (.always, .always),
      (.denied, _), (.restricted, _):
      return nil
    }
  }
}
