/// An action that the state machine of the authorization requests from the gateway. The gateway applies the effects of
/// one event in order. After an effect that saves a record or a lock, the gateway waits until the data is on the disk,
/// and then applies the next effect.
package enum Effect: Hashable, Sendable {
  /// Save the app's record.
  case save(AppRecord)
  /// Remove the app's record.
  case forget(AppID)
  /// Save whether the gateway is locked.
  case saveLock(Bool)

  /// Answer that the gateway accepted the request, and that the request waits for a press.
  case accept(RequestID)
  /// Answer that the gateway acquires a fix under a standing authorization. Some apps only appear to have a standing
  /// authorization. These apps get the same answer (B5).
  case acquire(RequestID)
  /// Answer that the gateway will ask the user. The app later receives its new authorization, or the end of the
  /// request.
  case ask(RequestID)
  /// Answer with the app's present authorization, without a prompt. (B7)
  case present(RequestID)
  /// Refuse the request.
  case refuse(RequestID, Refusal)
  /// End an accepted request or updates. The gateway sends no further byte of their data.
  case end(RequestID, Ending)
  /// Get a fix, and disclose it to the session that has the grant.
  case serve(Grant)
  /// Begin updates: disclose each new fix to the session of the updates.
  case begin(Updates)
  /// Disclose no more fixes for updates or a request. The app receives no message now, and learns of the end later.
  /// (B5)
  case withhold(RequestID)
  /// Erase the undelivered fixes of one app, or of all apps if the value is nil. The gateway then sends no byte of
  /// these fixes.
  case eraseUndelivered(AppID?)

  /// Send the result of a press to one session, or to all sessions if the value is nil.
  case notifyPress(SessionID?, PressNotification)
  /// Send the app's authorization, which may have changed, to the sessions of the app.
  case announce(AppID)
  /// Send the state of the lock to all sessions.
  case announceLock(Bool)
  /// Send the event that the device crossed a region's border to the sessions of the region's app.
  case notifyRegion(AppID, RegionEvent)
  /// Show the owners that the device crossed a region's border. The app receives nothing.
  case notifyOwners(AppID, RegionEvent)
  /// End a session, because its client did not resume the session within the grace period.
  case endSession(SessionID)

  /// Show a prompt on displays, and on owners' consoles and pages.
  case show(Prompt)
  /// Remove a prompt from displays, and from owners' consoles and pages.
  case close(Prompt, PromptClosing)
  /// Show a short pattern on the indicator, which tells the user that the press had no effect.
  case blip(Blip)
  /// Check whether a user can see the indicator, and send the result as `Event.legibilityChecked`.
  case checkLegibility
}

/// The reason why the gateway refuses a request.
package enum Refusal: Hashable, Sendable {
  case locked
  case alreadyArmed
  /// The app already receives updates in this session.
  case alreadyStarted
  case notDetermined
  case denied
  case restricted
  case notInUse
  /// The user could not see the indicator. The value is the name of the reason.
  case illegible(String)
  /// Nobody answered the app's last prompt. The app may ask again after this time.
  case tooSoon(retryAfter: Duration)
  /// The session does not exist.
  case noSession
}

/// The reason why an accepted request or updates end.
package enum Ending: Hashable, Sendable {
  /// The app cancelled the request, or stopped the updates.
  case cancelled
  case sessionEnded
  /// The request timed out because no user pressed the button, or nobody answered the prompt.
  case noPress
  /// The user answered a prompt about the app with *no*.
  case denied
  case locked
  /// The grant expired before the receiver had a fix.
  case expired
  /// The app is no longer in use, and the app's right is valid only while the app is in use.
  case notInUse
  /// The user could not see the indicator. The value is the name of the reason.
  case illegible(String)
  /// The app's status or accuracy changed.
  case changed
  /// A new session of the app made a request while this session was disconnected.
  case takenOver
}

/// The result of a press, as an app receives it.
package enum PressNotification: Hashable, Sendable {
  case authorized
  case restricted
  case locked
  /// No app waited for a press.
  case nothingArmed
  /// The gateway accepted the app's request too late for this press: less than 300 ms before the button's down edge.
  case armedTooLate
  /// The user could not see the indicator at the press. The value is the name of the reason.
  case illegible(String)
}

/// The reason why a prompt is closed.
package enum PromptClosing: Hashable, Sendable {
  /// The answer gave the app a right.
  case yes
  /// The user answered "no", or answered "keep" and thereby kept the present authorization.
  case no
  case unanswered
  /// The gateway closed the prompt without an answer, for one of these reasons: the app cancelled its request or closed
  /// its connection, the request timed out, the app's authorization changed, or a hold answered a different prompt.
  case withdrawn
  case locked
}

/// A short pattern of the indicator, which shows the user that no app got a fix by the press.
package enum Blip: Hashable, Sendable {
  case nothingWaiting
  /// The user pressed the button before the fix for an earlier press was delivered, or shortly after the delivery. The
  /// gateway assumes that the user repeated the earlier press because of impatience. (A8)
  case acquiring
}
