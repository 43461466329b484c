/// What is to be done, in this order. What is to be saved is durable before anything after it is begun.
package enum Effect: Hashable, Sendable {
  case save(AppRecord)
  case saveLock(Bool)

  /// The request is armed and waits for a press.
  case accept(RequestID)
  case refuse(RequestID, Refusal)
  /// An accepted request is over without a fix. What was in flight for it stops before its next byte.
  case end(RequestID, Ending)
  /// Get a fix and disclose it.
  case serve(Grant)
  /// Undelivered fixes of every app are erased: none of their bytes leave any more.
  case eraseUndelivered

  /// Tells a session of a press; nil tells all of them.
  case tellPress(SessionID?, PressNews)
  /// The app's status or accuracy changed; its sessions are told.
  case announce(AppID)
  /// The lock was thrown or released.
  case announceLock(Bool)

  case show(Prompt)
  case close(Prompt, PromptClosing)
  case blip(Blip)
}

/// Why a request is not taken.
package enum Refusal: Hashable, Sendable {
  case locked
  case alreadyArmed
  /// Nobody answered this app's prompts; it may ask again after that time.
  case tooSoon(retryAfter: Duration)
  /// There is no such session.
  case noSession
}

/// Why an accepted request ends without a fix.
package enum Ending: Hashable, Sendable {
  /// By the app itself.
  case cancelled
  case sessionEnded
  /// The arm timed out, or nobody answered the prompt.
  case noPress
  /// The person answered no.
  case denied
  case locked
  /// The grant ran out before there was a fix.
  case expired
}

/// What an app is told of a press.
package enum PressNews: Hashable, Sendable {
  case authorized
  case restricted
  case locked
  /// Nothing was armed that the press could serve.
  case nothingArmed
  /// The app was armed less than 300 ms before the button went down, or after that.
  case armedTooLate
  /// The person could not have seen that location is in use; the restriction's name.
  case illegible(String)
}

/// Why a prompt is no longer shown.
package enum PromptClosing: Hashable, Sendable {
  case yes
  case no
  case unanswered
  /// The app cancelled, timed out or left.
  case withdrawn
  case locked
}

/// A short sign of the indicator that belongs to no app.
package enum Blip: Hashable, Sendable {
  case nothingWaiting
  /// An impatient second press: the first is still being served, or was a moment ago.
  case acquiring
}
