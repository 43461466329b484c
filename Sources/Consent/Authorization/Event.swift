package import Base
package import LineProtocol

/// An event that the state machine `Authorization` handles. Some events contain the instant at which they occurred.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session lost its connection. The client can resume the session within the grace period of 5 s.
  case sessionLost(SessionID)
  case sessionResumed(SessionID)
  /// The session has ended, and the client can no longer resume the session.
  case sessionEnded(SessionID)
  /// The app sent `STATE background` or `STATE foreground`.
  case stateChanged(SessionID, isInBackground: Bool)

  /// A client requested one fix, for example with `REQ once`. `timeout` is the maximum wait for a press of the button.
  /// If `requiresPress` is true, the request waits for a press even if the app may get fixes without one.
  case requested(RequestID, SessionID, timeout: Duration, requiresPress: Bool, kind: RequestKind = .explicit)
  case cancelled(SessionID)
  /// A client requested continuous updates, for example with `START updates`. If `background` is true, the updates go
  /// on while the app is not in use.
  case started(RequestID, SessionID, background: Bool)
  case stopped(SessionID)
  case asked(RequestID, SessionID, RequestedAuthorization)
  case regionCrossed(AppID, RegionEvent)

  /// The electrical level of a button's GPIO line changed at this instant.
  case edge(MonotonicInstant)
  /// A user pressed and released a button. `illegible` is the reason why the indicator (the LED) is not visible; nil if
  /// the indicator is visible. `showsText` is true if a display at the button shows the text of the open prompt.
  case pressed(Press, illegible: String?, showsText: Bool)
  /// A user has held a button for the hold time, or for twice the hold time.
  case held(Hold)
  /// A user answered a prompt without the button.
  case answered(prompt: Int, Answer)
  case ordered(OwnerChange)
  /// An owner locked the gateway without the button.
  case lockOrdered

  /// The gateway sent a fix for this request: the one fix of a grant, or one of continuous updates.
  case served(RequestID)
  /// The gateway cannot get a fix for this request. The app has already received the reason.
  case failed(RequestID)
  /// The gateway checked whether the indicator (the LED) is visible. The value is the reason why the indicator is not
  /// visible; nil if the indicator is visible.
  case legibilityChecked(String?)
  /// The first display, console or web page that shows prompts was opened (`areOpen` is true), or the last of them was
  /// closed (`areOpen` is false).
  case surfacesChanged(areOpen: Bool)
  /// The machine was suspended. The value is the total time of suspension since the boot.
  case resumed(suspended: Duration)
  case timePassed
}

/// A change that an owner of the gateway ordered.
package enum OwnerChange: Hashable, Sendable {
  /// Sets the authorization status of an app. With a duration, the former status applies again after this time. The
  /// status `restricted` has no effect here, because only the configuration can restrict an app.
  case setStatus(AppID, AuthorizationStatus, for: Duration? = nil)
  case setAccuracy(AppID, FixAccuracy)
  /// Makes the app count as in use in each of its sessions (owner's command `use APP`).
  case use(AppID)
  /// Ends the pause after an unanswered prompt, so that requests of the app can open a prompt at once.
  case endPause(AppID)
  /// Removes the record of an app. The app must then ask the user again.
  case reset(AppID)
  case configure(Authorization.Configuration)
}

/// The event that the device entered or left a region that an app registered.
package struct RegionEvent: Hashable, Sendable {
  /// The identifier that the app gave to the region.
  package let region: String
  package let isEntry: Bool

  package init(region: String, isEntry: Bool) {
    self.region = region
    self.isEntry = isEntry
  }
}
