package import LineProtocol

/// An action that the gateway takes for the state machine. The gateway applies the effects of one event in order. It
/// waits until a saved record or lock is on the disk before it applies the next effect. Three effects are exceptions: the
/// record of an app that receives a fix is saved with the log entry of the disclosure, which is also before the fix is
/// sent; answers are logged first; and all ends are logged together.
package enum Effect: Hashable, Sendable {
  case save(AppRecord)
  case forget(AppID)
  case saveLock(Bool)

  /// Answer that the request was accepted and waits for a press.
  case accept(RequestID)
  /// Answer that the gateway acquires a fix. The app has a standing authorization, or only appears to have one (B5).
  case acquire(RequestID)
  /// Answer that the gateway will ask the user.
  case ask(RequestID)
  /// Answer with the app's present authorization, without a prompt. (B7)
  case present(RequestID)
  case refuse(RequestID, Refusal)
  /// End an accepted request or updates. No further byte of their data is sent.
  case end(RequestID, Ending)
  /// Get a fix, and disclose it to the session of the grant.
  case serve(Grant)
  /// Disclose each new fix to the session of the updates.
  case begin(Updates)
  /// Disclose no more fixes for a request or updates. The app receives no message now, and learns of the end later.
  /// (B5)
  case withhold(RequestID)
  /// Erase the undelivered fixes of one app, or of all apps if the value is nil. No byte of them is sent.
  case eraseUndelivered(AppID?)

  /// Send the result of a press to one session, or to all sessions if the value is nil.
  case notifyPress(SessionID?, PressNotification)
  /// Send the app's authorization to its sessions.
  case announce(AppID)
  case announceLock(Bool)
  /// Send a region event to the sessions of the region's app.
  case notifyRegion(AppID, RegionEvent)
  /// Show a region event to the owners, but not to the app.
  case notifyOwners(AppID, RegionEvent)
  /// End a session that was not resumed within the grace period.
  case endSession(SessionID)

  /// Show a prompt on displays, consoles and pages.
  case show(Prompt)
  /// Remove a prompt from displays, consoles and pages.
  case close(Prompt, PromptClosing)
  /// Write a user's answer to the log: the prompt, the choice, and the accuracy that the user chose, if any.
  case recordAnswer(Prompt, PromptChoice, FixAccuracy?)
  /// Show a short pattern on the indicator: the press had no effect.
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
  /// The app's last prompt was not answered. The app may ask again after this time.
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
  /// The request was accepted less than 1 s before the down edge of the press.
  case armedTooLate
  /// The indicator was not visible at the press. The value is the reason.
  case illegible(String)
}

/// The reason for the closing of a prompt.
package enum PromptClosing: Hashable, Sendable {
  /// The answer gave the app a right.
  case yes
  /// The user answered "no", or "keep" for the present authorization.
  case no
  case unanswered
  /// The prompt was closed without an answer. The app cancelled its request or disconnected, the request timed out, the
  /// app's authorization changed, or a hold answered a different prompt.
  case withdrawn
  case locked
}

/// A short pattern of the indicator: no app got a fix by the press.
package enum Blip: Hashable, Sendable {
  /// No app waited, or the mark of the button changed within the second before the down edge. (A6, A9)
  case nothingWaiting
  /// The fix for an earlier press is not delivered yet, or was delivered just before this press. The user probably
  /// pressed again because of impatience. (A8)
  case acquiring
}
