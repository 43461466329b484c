import Clocks

/// A pending `AUTHORIZE` request. The app cannot see whether the gateway can ask a user.
package struct Ask: Hashable, Sendable {
  package let request: RequestID
  package let session: SessionID
  let app: AppID
  /// The instant at which the app learns that its request had no answer.
  let deadline: MonotonicInstant
}

// Requests for authorization: `AUTHORIZE` (B1 to B4, B7) and requests for full accuracy (D3).
extension Authorization {
  mutating func handleAuthorizationRequest(
    _ request: RequestID, in session: SessionID, _ wish: Wish, at now: MonotonicInstant, into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // No requests while locked (D4)
    let status = status(of: app)
    if status == .denied { return effects.append(.refuse(request, .denied)) }  // Refused without a prompt (B4)
    if status == .restricted { return effects.append(.refuse(request, .restricted)) }  // Refused without a prompt (B4)
    guard let kind = promptKind(for: wish, of: app, in: session), asks[app] == nil else {
      return effects.append(.present(request))  // Answered with the present status (B7)
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
    // An app has one prompt at a time. A prompt for deferred starts (B5) is closed and opens again later: the app must
    // not learn from a refusal that such a prompt is open.
    for prompt in prompts where prompt.app == app && prompt.kind == .always {
      close(prompt, .withdrawn, byPress: false, at: now, into: &effects)
    }
    open(kind, for: app, .session(session), at: now, until: deadline)
  }

  /// Ends a pending request and announces the app's authorization.
  ///
  /// - Parameter ending: The reason to send to the app; nil if the app only gets its authorization.
  mutating func end(_ ask: Ask, _ ending: Ending?, into effects: inout [Effect]) {
    asks[ask.app] = nil
    if let ending { effects.append(.end(ask.request, ending)) }
    announce(ask.app, into: &effects)
  }

  /// Returns the prompt for a request; nil if the request needs no prompt.
  private func promptKind(for wish: Wish, of app: AppID, in session: SessionID) -> Prompt.Kind? {
    let record = record(of: app)
    let mayGetPrecise = accuracy(of: app, in: session) == .reduced
    switch (visibleStatus(of: app, in: session), wish) {
    case (.notDetermined, .whenInUse): return .authorize  // When in use (B1)
    case (.notDetermined, .always): return .authorizeAlways  // Provisional "always" (B2)
    // An upgrade to "always" (B3). The answer *allow once* gives no status that could be upgraded.
    case (.whenInUse, .always): return record.status == .whenInUse && !record.hasAskedUpgrade ? .upgrade : nil
    // Precise once (D3).
    case (.whenInUse, .fullAccuracy), (.always, .fullAccuracy): return mayGetPrecise ? .precise : nil
    case (.notDetermined, .fullAccuracy), (.whenInUse, .whenInUse), (.always, .whenInUse), (.always, .always),
      (.denied, _), (.restricted, _):
      return nil
    }
  }
}
