/// What is to be done, in this order. What is to be saved is durable before anything after it is begun.
package enum Effect: Hashable, Sendable {
  case save(AppRecord)
  /// The app's record is removed.
  case forget(AppID)
  case saveLock(Bool)

  /// The request is armed and waits for a press.
  case accept(RequestID)
  /// The request, or start, is covered by a standing authorization, or looks so to the app (B5).
  case acquire(RequestID)
  /// The person will be asked; the app hears of the outcome as its authorization, or as the request's end.
  case ask(RequestID)
  /// Nothing is asked: the answer is the app's present authorization (B7).
  case present(RequestID)
  case refuse(RequestID, Refusal)
  /// An accepted request, or updates, are over. What was in flight for them stops before its next byte.
  case end(RequestID, Ending)
  /// Get a fix and disclose it.
  case serve(Grant)
  /// Disclose fix after fix.
  case begin(Updates)
  /// Updates, or a request, are given no more fixes, and the app is not told (B5): the end follows in its time.
  case withhold(RequestID)
  /// Undelivered fixes of one app, or of every app, are erased: none of their bytes leave any more.
  case eraseUndelivered(AppID?)

  /// Tells a session of a press; nil tells all of them.
  case tellPress(SessionID?, PressNews)
  /// The app's status or accuracy may have changed; its sessions are told.
  case announce(AppID)
  /// The lock was thrown or released.
  case announceLock(Bool)
  /// The app's sessions are told that the border of a region was crossed.
  case tellRegion(AppID, RegionEvent)
  /// The owners are shown that the border of a region was crossed; the app is told nothing.
  case notifyOwners(AppID, RegionEvent)
  /// The session was not resumed in time.
  case endSession(SessionID)

  case show(Prompt)
  case close(Prompt, PromptClosing)
  case blip(Blip)
  /// Somebody's location is in use: look whether the indicator can be seen, and tell.
  case checkLegibility
}

/// Why a request is not taken.
package enum Refusal: Hashable, Sendable {
  case locked
  case alreadyArmed
  /// This session has updates already.
  case alreadyStarted
  case notDetermined
  case denied
  case restricted
  case notInUse
  /// The person could not see that location is in use; the restriction's name.
  case illegible(String)
  /// Nobody answered this app's prompts; it may ask again after that time.
  case tooSoon(retryAfter: Duration)
  /// There is no such session.
  case noSession
}

/// Why an accepted request, or updates, end.
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
  /// The app is no longer in use.
  case notInUse
  /// The person could not see that location is in use; the restriction's name.
  case illegible(String)
  /// The app's status or accuracy was changed.
  case changed
  /// Another session of the app armed while this one was away.
  case takenOver
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
  /// Answered with more than there was.
  case yes
  /// Answered with "no", or "as it is".
  case no
  case unanswered
  /// The app cancelled, timed out or left, its authorization was changed, or a hold emptied the queue.
  case withdrawn
  case locked
}

/// A short sign of the indicator that belongs to no app.
package enum Blip: Hashable, Sendable {
  case nothingWaiting
  /// An impatient second press: the first is still being served, or was a moment ago.
  case acquiring
}
