package import Base
package import LineProtocol

/// An event that `Authorization` handles. Some events contain the instant of their occurrence, on which the decision
/// depends.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session lost its connection. The client can resume the session within the grace period.
  case sessionLost(SessionID)
  case sessionResumed(SessionID)
  /// The session has ended, and the client can no longer resume the session.
  case sessionEnded(SessionID)
  /// The app sent `STATE background` or `STATE foreground`.
  case stateChanged(SessionID, isInBackground: Bool)

  /// A client requested one fix, for example with `REQ once`. `timeout` is the maximum wait for a press of the button.
  /// If `requiresPress` is true, the request waits for a press even with a standing authorization.
  case requested(RequestID, SessionID, timeout: Duration, requiresPress: Bool, kind: RequestKind = .explicit)
  case cancelled(SessionID)
  /// A client requested updates, for example with `START updates`. If `background` is true, the updates continue when
  /// the app is no longer in use.
  case started(RequestID, SessionID, background: Bool)
  case stopped(SessionID)
  case asked(RequestID, SessionID, RequestedAuthorization)
  case regionCrossed(AppID, RegionEvent)

  /// The electrical level of the GPIO line of a button changed at this instant.
  case edge(MonotonicInstant)
  /// A user pressed and released a button. `illegible` is the reason why the indicator is not visible; nil if the
  /// indicator is visible. `showsText` is true if a display at the button shows the text of the open prompt.
  case pressed(Press, illegible: String?, showsText: Bool)
  /// A user has held a button for the hold time, or for twice the hold time.
  case held(Hold)
  /// A user answered a prompt without the button.
  case answered(prompt: Int, Answer)
  case ordered(OwnerChange)
  /// An owner locked the gateway without the button.
  case lockOrdered

  /// The gateway disclosed the fix of a grant, or a fix of updates.
  case served(RequestID)
  /// The gateway cannot get a fix for this grant or these updates. The app has already received the reason.
  case failed(RequestID)
  /// The visibility of the indicator was checked. The value is the reason why the indicator is not visible; nil if the
  /// indicator is visible.
  case legibilityChecked(String?)
  /// The first display, owner's console or owner's web page that shows prompts was opened, or the last of them was
  /// closed.
  case surfacesChanged(areOpen: Bool)
  /// The machine was suspended. The value is the total time since the boot for which it was suspended.
  case resumed(suspended: Duration)
  case timePassed
}

/// A change by an owner of the gateway.
package enum OwnerChange: Hashable, Sendable {
  /// Sets the authorization status of an app. The status `restricted` has no effect here, because only the
  /// configuration can set it. With a duration, the former status comes back after this time.
  case setStatus(AppID, AuthorizationStatus, for: Duration? = nil)
  case setAccuracy(AppID, FixAccuracy)
  /// Makes the app count as in use in each of its sessions (`USE APP`).
  case use(AppID)
  /// Ends the pause of an app's prompts after an unanswered prompt, so that the app may ask at once.
  case endPause(AppID)
  /// Removes the record of an app. The app must then ask the user again.
  case reset(AppID)
  case configure(Authorization.Configuration)
}

/// The event that the device entered or left a region of an app.
package struct RegionEvent: Hashable, Sendable {
  /// The id that the app gave to the region.
  package let region: String
  package let isEntry: Bool

  package init(region: String, isEntry: Bool) {
    self.region = region
    self.isEntry = isEntry
  }
}
