package import Base
package import LineProtocol

/// A request of an app for authorization (command `AUTHORIZE`) that the user has not answered.
package struct Ask: Hashable, Expirable {
  package let request: RequestID
  package let session: SessionID
  package let app: AppID
  /// The instant at which the request ends without an answer of the user.
  let deadline: MonotonicInstant
  package var due: MonotonicInstant? { deadline }
}

// Requests for authorization: `AUTHORIZE` (rows B1 to B4, B7) and requests for full accuracy (row D3).
extension Authorization {
  mutating func handleAuthorizationRequest(
    _ request: RequestID, in session: SessionID, _ requested: RequestedAuthorization, at now: MonotonicInstant,
    into effects: inout [Effect]
  ) {
    guard let app = sessions[session]?.app else { return effects.append(.refuse(request, .noSession)) }
    if isLocked { return effects.append(.refuse(request, .locked)) }  // No requests while locked (D4)
    if let denial = denial(of: app) { return effects.append(.refuse(request, denial)) }  // Without a prompt (B4)
    guard let kind = promptKind(for: requested, of: app, in: session), asks[app] == nil else {
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
    // An app causes at most one prompt at a time. An open prompt for the authorization "always" (row B5) must stay secret
    // from the app, so it cannot be a reason to refuse this request. It is closed now and opened again later.
    for prompt in prompts where prompt.app == app && prompt.kind == .always {
      close(prompt, .withdrawn, at: now, into: &effects)
    }
    open(kind, for: app, .session(session), at: now, until: deadline)
  }

  /// Ends a request for authorization, and tells the app its present authorization.
  ///
  /// - Parameter ending: The reason to tell the app; nil for no reason.
  mutating func end(_ ask: Ask, _ ending: Ending?, into effects: inout [Effect]) {
    asks[ask.app] = nil
    if let ending { effects.append(.end(ask.request, ending)) }
    announce(ask.app, into: &effects)
  }

  /// Returns the question to the user that a request for authorization needs; nil if the request needs no question.
  private func promptKind(for requested: RequestedAuthorization, of app: AppID, in session: SessionID) -> Prompt.Kind? {
    let record = record(of: app)
    let mayGetPrecise = accuracy(of: app, in: session) < .full
    switch (visibleStatus(of: app, in: session), requested) {
    case (.notDetermined, .whenInUse): return .authorize  // When in use (B1)
    case (.notDetermined, .always): return .authorizeAlways  // Provisional "always" (B2)
    // The upgrade from "while using" to "always" (row B3). An app with only the right *allow once* has no stored status
    // to upgrade.
    case (.whenInUse, .always): return record.status == .whenInUse && !record.hasAskedUpgrade ? .upgrade : nil
    // The prompt about full accuracy for one session (row D3).
    case (.whenInUse, .fullAccuracy), (.always, .fullAccuracy): return mayGetPrecise ? .precise : nil
    case (.notDetermined, .fullAccuracy), (.whenInUse, .whenInUse), (.always, .whenInUse), (.always, .always),
      (.denied, _), (.restricted, _):
      return nil
    }
  }
}
