package import LineProtocol

/// An action that the state machine `Authorization` tells the gateway to take. The gateway applies the effects of one
/// event in order. A change of an app's record or of the locked state must be on the disk before the next effect. The
/// changes come first, so that no app, owner or display learns of a change that a power loss could undo.
///
/// There are three exceptions. The answers of users are written to the log before all effects. The ends of all updates
/// are written to the log together. The record of an app that gets a fix is saved with the log entry of the fix, before
/// the fix is sent.
package enum Effect: Hashable, Sendable {
  case save(AppRecord)
  case forget(AppID)
  case saveLock(Bool)

  /// Tell the app that its request was accepted and waits for a press of the button.
  case accept(RequestID)
  /// Tell the app that the search for a fix has begun, and no press of the button is necessary. For privacy, some apps
  /// without permission receive this message, too (authorization reference, row B5).
  case acquire(RequestID)
  /// Tell the app that the gateway asks the user for the authorization.
  case ask(RequestID)
  /// Answer a request for authorization with the app's present authorization, because no question to the user is
  /// necessary (authorization reference, row B7).
  case present(RequestID)
  case refuse(RequestID, Refusal)
  /// End a request or continuous updates. After this effect, the gateway sends no byte of a fix for the request.
  case end(RequestID, Ending)
  /// Get one fix for a grant (the permission for one fix), and send the fix to the session of the grant.
  case serve(Grant)
  /// Send each new fix to the session of these continuous updates.
  case begin(Updates)
  /// Send no more fixes for a request or updates, and tell the app only later. The delay hides the user's decision
  /// about the authorization "always" from the app (authorization reference, row B5).
  case withhold(RequestID)
  /// Erase the fixes of an app that are not delivered yet; nil stands for all apps. No byte of these fixes is sent.
  case eraseUndelivered(AppID?)

  /// Send the result of a press of the button to one session, or to all sessions if the session is nil.
  case notifyPress(SessionID?, PressNotification)
  /// Send the present authorization of an app to all sessions of this app.
  case announce(AppID)
  case announceLock(Bool)
  /// Tell the sessions of an app that the device entered or left a region.
  case notifyRegion(AppID, RegionEvent)
  /// Tell the owners of the gateway, but not the app, that the device entered or left a region of the app.
  case notifyOwners(AppID, RegionEvent)
  /// End a session whose client did not connect again within the grace period of 5 s.
  case endSession(SessionID)

  /// Show a prompt (a question to the user) on displays, and on the consoles and web pages of owners.
  case show(Prompt)
  /// Remove a prompt (a question to the user) from displays, and from the consoles and web pages of owners.
  case close(Prompt, PromptClosing)
  /// Write a user's answer to a prompt into the log. The accuracy is nil if the user chose no accuracy.
  case recordAnswer(Prompt, PromptChoice, FixAccuracy?)
  /// Write into the log that a temporary authorization has ended. The values are the permission that ended, and the
  /// status that applies now (authorization reference, row D6).
  case recordEnd(AppID, of: Right, AuthorizationStatus)
  /// Show a short pattern on the indicator (the LED), because a press of the button gave no app a fix.
  case blip(Blip)
  /// Check whether the indicator (the LED) is visible, and send the result as `Event.legibilityChecked`.
  case checkLegibility

  /// Whether the effect changes only the stored state and the undelivered fixes.
  package var isStored: Bool {
    switch self {
    case .save, .forget, .saveLock, .eraseUndelivered, .recordAnswer, .recordEnd: true
    case .accept, .acquire, .ask, .present, .refuse, .end, .serve, .begin, .withhold, .notifyPress, .announce,
      .announceLock, .notifyRegion, .notifyOwners, .endSession, .show, .close, .blip, .checkLegibility:
      false
    }
  }

  /// Returns the effects of one event with the changes of the stored state before all others.
  static func storedFirst(_ effects: [Effect]) -> [Effect] {
    effects.filter(\.isStored) + effects.filter { !$0.isStored }
  }
}

package enum Refusal: Hashable, Sendable {
  case locked
  case alreadyArmed
  /// The app already receives updates in this session.
  case alreadyStarted
  case notDetermined
  case denied
  case restricted
  case notInUse
  /// The indicator (the LED) is not visible. The string is the cause.
  case illegible(String)
  /// The user left the latest prompt (question) about the app without an answer. The app may repeat its request after
  /// the time `retryAfter`.
  case tooSoon(retryAfter: Duration)
  case noSession
}

/// The reason why an accepted request or continuous updates ended.
package enum Ending: Hashable, Sendable {
  /// The app cancelled the request, or stopped the updates.
  case cancelled
  case sessionEnded
  /// The user did not press the button in time, or did not answer the question of the gateway in time.
  case noPress
  /// The user answered *no* to the question about the app.
  case denied
  case locked
  /// The receiver found no fix before the permission for the fix expired.
  case expired
  /// The app may get fixes only while in use, and the app is no longer in use.
  case notInUse
  /// The indicator (the LED) was not visible. The string is the cause.
  case illegible(String)
  /// The authorization status or the accuracy of the app has changed, so that the request or the updates ended.
  case changed
  /// A new session of the app made a request while the session of the ended request was disconnected.
  case takenOver
}

/// The result of a press of the button, as sent to an app.
package enum PressNotification: Hashable, Sendable {
  case authorized
  case restricted
  case locked
  /// No app waited for a press of the button.
  case nothingArmed
  /// The gateway accepted the request of the app less than 1 s before the user pushed the button down.
  case armedTooLate
  /// The indicator (the LED) was not visible at the press. The string is the cause.
  case illegible(String)
}

/// The reason why a prompt (a question to the user) was closed.
package enum PromptClosing: Hashable, Sendable {
  /// The user gave the app a permission.
  case yes
  /// The user answered "no", or "keep" to keep the present authorization.
  case no
  case unanswered
  /// The prompt was closed without an answer, for example because the app cancelled its request or disconnected.
  case withdrawn
  case locked
}

/// A short pattern of the indicator (the LED) after a press of the button that gave no app a fix.
package enum Blip: Hashable, Sendable {
  /// No app waited for a press, or the effect of the next press had changed less than 1 s before the press
  /// (authorization reference, rows A6 and A9).
  case nothingWaiting
  /// The press probably repeats an earlier press, whose fix is not delivered yet or was delivered just before
  /// (authorization reference, row A8).
  case acquiring
}
