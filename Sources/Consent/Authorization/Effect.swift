package import LineProtocol

/// An action that the state machine `Authorization` tells the gateway to take. The gateway applies the effects of one
/// event in order. A change of a record or of the lock must be on the disk before the next effect.
///
/// There are three exceptions. Users' answers are written to the log before all effects. The ends of all updates are
/// written to the log together. The record of an app that gets a fix is saved with the log entry of the fix, before the
/// fix is sent.
package enum Effect: Hashable, Sendable {
  case save(AppRecord)
  case forget(AppID)
  case saveLock(Bool)

  /// Tell the app that its request was accepted and waits for a press of the button.
  case accept(RequestID)
  /// Tell the app that the gateway acquires a fix. The app gets fixes without a press, or only appears to have this
  /// permission (authorization reference, row B5).
  case acquire(RequestID)
  /// Tell the app that the gateway will ask the user.
  case ask(RequestID)
  /// Answer a request for authorization with the app's present authorization, because no prompt is necessary
  /// (authorization reference, row B7).
  case present(RequestID)
  case refuse(RequestID, Refusal)
  /// End an accepted request or continuous updates. No further byte of a fix is sent for the request.
  case end(RequestID, Ending)
  /// Get one fix, and send it to the session of the grant (the permission for this fix).
  case serve(Grant)
  /// Send each new fix to the session of the updates.
  case begin(Updates)
  /// Send no more fixes for a request or updates. The app receives the message about the end later, so that the app
  /// does not learn the user's decision about "always" (authorization reference, row B5).
  case withhold(RequestID)
  /// Erase the undelivered fixes of one app, or of all apps if the value is nil. No byte of these fixes is sent.
  case eraseUndelivered(AppID?)

  /// Send the result of a press of the button to one session, or to all sessions if the session is nil.
  case notifyPress(SessionID?, PressNotification)
  /// Send the present authorization of an app to all sessions of this app.
  case announce(AppID)
  case announceLock(Bool)
  /// Send an entry into a region, or an exit from it, to the sessions of the app.
  case notifyRegion(AppID, RegionEvent)
  /// Show an entry into a region, or an exit from it, to the owners of the gateway, but not to the app.
  case notifyOwners(AppID, RegionEvent)
  /// End a session whose client did not connect again within the grace period of 5 s.
  case endSession(SessionID)

  /// Show a prompt on displays, owners' consoles and owners' web pages.
  case show(Prompt)
  /// Remove a prompt from displays, owners' consoles and owners' web pages.
  case close(Prompt, PromptClosing)
  /// Write a user's answer to the log: the prompt, the choice, and the accuracy that the user chose, or nil if the user
  /// chose no accuracy.
  case recordAnswer(Prompt, PromptChoice, FixAccuracy?)
  /// Write to the log that a temporary authorization has ended: the permission that ended, and the status that applies
  /// now (authorization reference, row D6).
  case recordEnd(AppID, of: Right, AuthorizationStatus)
  /// Show a short pattern on the indicator (the LED), because a press of the button gave no app a fix.
  case blip(Blip)
  /// Check whether the indicator (the LED) is visible, and send the result as `Event.legibilityChecked`.
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
  /// The indicator (the LED) is not visible. The value is the reason.
  case illegible(String)
  /// The user did not answer the latest prompt about the app. The app may make its request again after the time
  /// `retryAfter`.
  case tooSoon(retryAfter: Duration)
  case noSession
}

/// The reason why an accepted request or continuous updates ended.
package enum Ending: Hashable, Sendable {
  /// The app cancelled the request, or stopped the updates.
  case cancelled
  case sessionEnded
  /// The user did not press the button, or did not answer the prompt, in time.
  case noPress
  /// The user answered *no*.
  case denied
  case locked
  /// The receiver found no fix before the permission for the fix expired.
  case expired
  /// The app may get fixes only while in use, and the app is no longer in use.
  case notInUse
  /// The indicator (the LED) was not visible. The value is the reason.
  case illegible(String)
  /// The authorization status or the accuracy of the app changed.
  case changed
  /// A new session of the app made a request while the session of this request was disconnected.
  case takenOver
}

/// The result of a press of the button, as sent to an app.
package enum PressNotification: Hashable, Sendable {
  case authorized
  case restricted
  case locked
  /// No app waited for a press of the button.
  case nothingArmed
  /// The gateway accepted the app's request less than 1 s before the user pushed the button down.
  case armedTooLate
  /// The indicator (the LED) was not visible at the press. The value is the reason.
  case illegible(String)
}

/// The reason why a prompt was closed.
package enum PromptClosing: Hashable, Sendable {
  /// The user's answer gave the app a permission.
  case yes
  /// The user answered "no", or "keep" to keep the present authorization.
  case no
  case unanswered
  /// The prompt was closed without an answer. For example, the app cancelled its request or disconnected, or its
  /// authorization changed.
  case withdrawn
  case locked
}

/// A short pattern of the indicator (the LED) after a press of the button that gave no app a fix.
package enum Blip: Hashable, Sendable {
  /// No app waited for a press, or the marked request or prompt changed less than 1 s before the press (authorization
  /// reference, rows A6 and A9). The mark shows the request or the prompt of the next press.
  case nothingWaiting
  /// The fix for an earlier press is not delivered yet, or was delivered just before this press. The user probably
  /// pressed again because of impatience (authorization reference, row A8).
  case acquiring
}
