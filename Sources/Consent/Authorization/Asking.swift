import Clocks

/// `AUTHORIZE`, from its acceptance to its outcome. To the app it looks the same whether or not a person can be asked.
package struct Ask: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  let app: AppID
  /// The instant at which the app is told that its request had no answer.
  let deadline: MonotonicInstant
}

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
    guard let kind = question(wish, of: app, in: session), asks[app] == nil else {
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
    let deadline = now + Bounds.askLife
    asks[app] = Ask(request: request, session: session, app: app, deadline: deadline)
    effects.append(.ask(request))
    // One prompt at a time. The app may not tell whether a person is asked for its starts' sake (B5): they ask later.
    for prompt in prompts where prompt.app == app && prompt.kind == .always {
      close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
    }
    open(kind, for: app, .session(session), at: now, until: deadline)
  }

  /// Tells the app that the outcome is there.
  ///
  /// - Parameter ending: nil if the app hears of the outcome as its authorization alone.
  mutating func end(_ ask: Ask, _ ending: Ending?, into effects: inout [Effect]) {
    asks[ask.app] = nil
    if let ending { effects.append(.end(ask.request, ending)) }
    announce(ask.app, into: &effects)
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
