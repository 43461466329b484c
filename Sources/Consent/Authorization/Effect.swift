package import LineProtocol

/// An action that the gateway takes for the state machine. The gateway applies the effects of one event in order. If an
/// effect saves a record or the lock, the gateway applies the next effect only when this change is on the disk. There
/// are three exceptions: the record of an app that receives a fix is saved with the log entry of the disclosure, which
/// is also before the fix is sent; answers are logged first; and all ends are logged together.
package enum Effect: Hashable, Sendable {
  case save(AppRecord)
  case forget(AppID)
  case saveLock(Bool)

  /// Answer that the request was accepted and waits for a press of the button.
  case accept(RequestID)
  /// Answer that the gateway acquires a fix. The app has a standing authorization, or only appears to have one (row B5
  /// of the authorization reference, event that needs "always").
  case acquire(RequestID)
  /// Answer that the gateway will ask the user.
  case ask(RequestID)
  /// Answer with the app's present authorization, without a prompt. See row B7 of the authorization reference (no
  /// prompt necessary).
  case present(RequestID)
  case refuse(RequestID, Refusal)
  /// End an accepted request or updates. No further byte of a fix is sent for the request.
  case end(RequestID, Ending)
  /// Get a fix, and disclose it to the session of the grant.
  case serve(Grant)
  /// Disclose each new fix to the session of the updates.
  case begin(Updates)
  /// Disclose no more fixes for a request or updates. The app receives no message about the end now, but receives one
  /// later. See row B5 of the authorization reference (event that needs "always").
  case withhold(RequestID)
  /// Erase the undelivered fixes of one app, or of all apps if the value is nil. No byte of these fixes is sent.
  case eraseUndelivered(AppID?)

  /// Send the result of a press of the button to one session, or to all sessions if the session is nil.
  case notifyPress(SessionID?, PressNotification)
  /// Send the authorization of an app to all sessions of this app.
  case announce(AppID)
  case announceLock(Bool)
  /// Send a region event to the sessions of the region's app.
  case notifyRegion(AppID, RegionEvent)
  /// Show a region event to the owners of the gateway, but not to the app.
  case notifyOwners(AppID, RegionEvent)
  /// End a session that was not resumed within the grace period.
  case endSession(SessionID)

  /// Show a prompt on displays, owners' consoles and owners' web pages.
  case show(Prompt)
  /// Remove a prompt from displays, owners' consoles and owners' web pages.
  case close(Prompt, PromptClosing)
  /// Write a user's answer to the log: the prompt, the choice, and the accuracy that the user chose, or nil if the user
  /// chose none.
  case recordAnswer(Prompt, PromptChoice, FixAccuracy?)
  /// Write to the log that an authorization for a time has ended: the right that ended, and the status that came back.
  /// See row D6 of the authorization reference (right that ends).
  case recordEnd(AppID, of: Right, AuthorizationStatus)
  /// Show a short pattern on the indicator, because a press of the button had no effect.
  case blip(Blip)
  /// Check whether the indicator is visible, and send the result as `Event.legibilityChecked`.
  case checkLegibility
}

/// The reason for the refusal of a request.
package enum Refusal: Hashable, Sendable {
  case locked
  case alreadyArmed
  /// The app already receives updates in this session.
  case alreadyStarted
  case notDetermined
  case denied
  case restricted
  case notInUse
  /// The indicator was not visible. The value is the reason.
  case illegible(String)
  /// The latest prompt about the app was not answered. The app may make its request again after the time `retryAfter`.
  case tooSoon(retryAfter: Duration)
  case noSession
}

/// The reason for the end of an accepted request or of updates.
package enum Ending: Hashable, Sendable {
  /// The app cancelled the request, or stopped the updates.
  case cancelled
  case sessionEnded
  /// The button was not pressed, or the prompt was not answered, in time.
  case noPress
  /// The user answered *no*.
  case denied
  case locked
  /// The grant expired before the receiver had a fix.
  case expired
  /// The right is valid only while the app is in use, and the app is no longer in use.
  case notInUse
  /// The indicator was not visible. The value is the reason.
  case illegible(String)
  /// The authorization status or the accuracy of the app changed.
  case changed
  /// A new session of the app made a request while this session was disconnected.
  case takenOver
}

/// The result of a press of the button, as an app receives it.
package enum PressNotification: Hashable, Sendable {
  case authorized
  case restricted
  case locked
  /// No app waited for a press of the button.
  case nothingArmed
  /// The request was accepted less than 1 s before the down edge of the press.
  case armedTooLate
  /// The indicator was not visible at the press. The value is the reason.
  case illegible(String)
}

/// The reason for the closing of a prompt.
package enum PromptClosing: Hashable, Sendable {
  /// The user's answer gave the app a right.
  case yes
  /// The user answered "no", or "keep" for the present authorization.
  case no
  case unanswered
  /// The prompt was closed without an answer. The app cancelled its request or disconnected, the request timed out, the
  /// app's authorization changed, or a hold answered a different prompt.
  case withdrawn
  case locked
}

/// A short pattern of the indicator after a press of the button that gave no app a fix.
package enum Blip: Hashable, Sendable {
  /// No app waited for a press, or the mark of the button changed within the second before the down edge. See rows A6
  /// (press that selects no app) and A9 (mark of a button) of the authorization reference.
  case nothingWaiting
  /// The fix for an earlier press is not delivered yet, or was delivered just before this press. The user probably
  /// pressed again because of impatience. See row A8 of the authorization reference (repeated press).
  case acquiring
}
