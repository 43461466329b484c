/// An action for the gateway. The effects of one event are applied in order; a record or lock to save is durable before
/// the next effect is applied.
package enum Effect: Hashable, Sendable {
  /// Save the app's record.
  case save(AppRecord)
  /// Remove the app's record.
  case forget(AppID)
  /// Save whether the gateway is locked.
  case saveLock(Bool)

  /// Answer that the request is armed and waits for a press.
  case accept(RequestID)
  /// Answer that the request or start has a standing authorization. The app gets the same answer if it only appears to
  /// have one (B5).
  case acquire(RequestID)
  /// Answer that the user will be asked. The app later gets its authorization, or the end of the request.
  case ask(RequestID)
  /// Answer with the app's present authorization, without a prompt. (B7)
  case present(RequestID)
  /// Refuse the request.
  case refuse(RequestID, Refusal)
  /// End an accepted request or updates. Data in flight for them is stopped before its next byte.
  case end(RequestID, Ending)
  /// Get a fix and disclose it.
  case serve(Grant)
  /// Disclose each fix.
  case begin(Updates)
  /// Disclose no more fixes for updates or a request, without a message to the app. Their end follows later. (B5)
  case withhold(RequestID)
  /// Erase the undelivered fixes of one app; nil for all apps. None of their bytes are sent after this.
  case eraseUndelivered(AppID?)

  /// Send the result of a press to a session; nil for all sessions.
  case tellPress(SessionID?, PressNews)
  /// Send the app's sessions their authorization, which may have changed.
  case announce(AppID)
  /// Send all sessions whether the gateway is locked.
  case announceLock(Bool)
  /// Send the app's sessions a crossing of a region's border.
  case tellRegion(AppID, RegionEvent)
  /// Show the owners a crossing of a region's border. The app receives nothing.
  case notifyOwners(AppID, RegionEvent)
  /// End a session that was not resumed in time.
  case endSession(SessionID)

  /// Show a prompt on displays and owner surfaces.
  case show(Prompt)
  /// Remove a prompt from displays and owner surfaces.
  case close(Prompt, PromptClosing)
  /// Show a short signal with the indicator.
  case blip(Blip)
  /// Check whether the indicator can be seen, and send the result as `Event.legibilityChecked`.
  case checkLegibility
}

/// The reason for which a request is refused.
package enum Refusal: Hashable, Sendable {
  case locked
  case alreadyArmed
  /// The session already has updates.
  case alreadyStarted
  case notDetermined
  case denied
  case restricted
  case notInUse
  /// The user could not see that location is in use. The value is the name of the restriction.
  case illegible(String)
  /// The app's last prompt had no answer. The app may ask again after this time.
  case tooSoon(retryAfter: Duration)
  /// The session does not exist.
  case noSession
}

/// The reason for which an accepted request or updates end.
package enum Ending: Hashable, Sendable {
  /// The app cancelled.
  case cancelled
  case sessionEnded
  /// The arm timed out, or the prompt had no answer.
  case noPress
  /// The user refused.
  case denied
  case locked
  /// The grant expired before there was a fix.
  case expired
  /// The app is no longer in use.
  case notInUse
  /// The user could not see that location is in use. The value is the name of the restriction.
  case illegible(String)
  /// The app's status or accuracy changed.
  case changed
  /// Another session of the app armed while this session was disconnected.
  case takenOver
}

/// The result of a press, as an app receives it.
package enum PressNews: Hashable, Sendable {
  case authorized
  case restricted
  case locked
  /// No app was armed that the press could serve.
  case nothingArmed
  /// The app was not armed at least 300 ms before the button's down edge.
  case armedTooLate
  /// The user could not have seen that location is in use. The value is the name of the restriction.
  case illegible(String)
}

/// The reason for which a prompt is closed.
package enum PromptClosing: Hashable, Sendable {
  /// The answer gave the app more than it had.
  case yes
  /// The answer was "no" or "keep".
  case no
  case unanswered
  /// The app cancelled, timed out or left; its authorization changed; or a hold emptied the queue.
  case withdrawn
  case locked
}

/// A short signal of the indicator that belongs to no app.
package enum Blip: Hashable, Sendable {
  case nothingWaiting
  /// A repeated press while the first press is being served, or shortly after that.
  case acquiring
}
