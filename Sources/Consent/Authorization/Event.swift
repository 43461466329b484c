package import Base
package import LineProtocol

/// An event that the state machine `Authorization` handles. Some events contain the instant at which they occurred.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session lost its connection. The client can resume the session within 5 s.
  case sessionLost(SessionID)
  case sessionResumed(SessionID)
  /// The session has ended, and the client can no longer resume the session.
  case sessionEnded(SessionID)
  /// The app sent the command `STATE background` or `STATE foreground`.
  case stateChanged(SessionID, isInBackground: Bool)

  /// A client requested one fix, for example with the command `REQ once`.
  ///
  /// - `timeout`: The maximum wait for a press of the button.
  /// - `requiresPress`: Whether the request waits for a press even if the app may get fixes without a press.
  case requested(RequestID, SessionID, timeout: Duration, requiresPress: Bool, kind: RequestKind = .explicit)
  case cancelled(SessionID)
  /// A client requested continuous updates, for example with `START updates`. If `background` is true, the updates go
  /// on while the user does not use the app.
  case started(RequestID, SessionID, background: Bool)
  case stopped(SessionID)
  case asked(RequestID, SessionID, RequestedAuthorization)
  case regionCrossed(AppID, RegionEvent)

  /// The electrical level of a button's GPIO line changed at this instant.
  case edge(MonotonicInstant)
  /// A user pressed and released a button.
  ///
  /// - `illegible`: The reason why the indicator (the LED) is not visible; nil if the indicator is visible.
  /// - `showsText`: Whether a display at the button shows the text of the open prompt (a question to the user).
  case pressed(Press, illegible: String?, showsText: Bool)
  /// A user keeps a button down. The event occurs after the hold time (some seconds), and again after twice the hold
  /// time.
  case held(Hold)
  /// A user answered a prompt (a question about an app) without the button. `prompt` is the identifier of the prompt.
  case answered(prompt: Int, Answer)
  case ordered(OwnerChange)
  /// An owner locked the gateway without the button.
  case lockOrdered

  /// The gateway sent a fix for this request: a one-time fix, or a fix of continuous updates.
  case served(RequestID)
  /// The gateway cannot get a fix for this request, and has told the app the reason.
  case failed(RequestID)
  /// The gateway checked whether the indicator (the LED) is visible. The string is the fault; nil if the indicator is
  /// visible.
  case legibilityChecked(String?)
  /// The first surface that shows prompts (questions to the user) was opened, or the last surface was closed. A surface
  /// is a display, console or web page.
  case surfacesChanged(areOpen: Bool)
  /// The indicator (the LED) shows a one-time use of the location until this instant. Until then, the indicator shows no
  /// prompt (no question to the user).
  case useShown(until: MonotonicInstant)
  /// The machine continued after a suspension. The value is the total time of all suspensions since the boot.
  case resumed(suspended: Duration)
  case timePassed
}

/// A change of authorizations by order of an owner (an administrator of the gateway).
package enum OwnerChange: Hashable, Sendable {
  /// Sets the authorization status of an app. With a duration, the former status applies again after this time. The
  /// status `restricted` has no effect here, because only the configuration can restrict an app.
  case setStatus(AppID, AuthorizationStatus, for: Duration? = nil)
  case setAccuracy(AppID, FixAccuracy)
  /// Records an action of the user for the app in each of its sessions, so that the app counts as in use (owner's
  /// command `use APP`).
  case use(AppID)
  /// Ends the pause after a prompt (a question to the user) without an answer. Requests of the app can then open a
  /// prompt at once.
  case endPause(AppID)
  /// Removes the stored authorization of an app. The app must then ask the user again.
  case reset(AppID)
  case configure(Authorization.Configuration)
}

/// The event that the device entered or left a region (a circle on the ground) of an app.
package struct RegionEvent: Hashable, Sendable {
  /// The identifier that the app gave to the region.
  package let region: String
  package let isEntry: Bool

  package init(region: String, isEntry: Bool) {
    self.region = region
    self.isEntry = isEntry
  }
}
