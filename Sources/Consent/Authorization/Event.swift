package import Clocks
package import LineProtocol

/// An event that the state machine handles. Some events contain the instant of their occurrence, on which the decision
/// depends.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session lost its connection. The client can resume the session within the grace period.
  case sessionLost(SessionID)
  case sessionResumed(SessionID)
  /// The session has ended for good.
  case sessionEnded(SessionID)
  /// `STATE background` or `STATE foreground` arrived.
  case stateChanged(SessionID, isInBackground: Bool)

  /// `REQ once` arrived. `timeout` is the maximum wait for a press. If `requiresPress` is true, the request waits for a
  /// press even with a standing authorization.
  case requested(RequestID, SessionID, timeout: Duration, requiresPress: Bool, kind: RequestKind = .explicit)
  case cancelled(SessionID)
  /// `START updates` arrived. If `background` is true, the updates continue when the app is no longer in use.
  case started(RequestID, SessionID, background: Bool)
  case stopped(SessionID)
  case asked(RequestID, SessionID, RequestedAuthorization)
  case regionCrossed(AppID, RegionEvent)

  /// The electrical level of a button changed.
  case edge(MonotonicInstant)
  /// A user pressed and released a button. `illegible` is the reason why the indicator is not visible, if any.
  /// `showsText` is true if a display at the button shows the text of the open prompt.
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
  /// The reason why the indicator was not visible at a check; nil if it was visible.
  case legibilityChecked(String?)
  /// The first display, console or page that shows prompts was opened, or the last one was closed.
  case surfacesChanged(areOpen: Bool)
  case timePassed
}

/// A change by an owner.
package enum OwnerChange: Hashable, Sendable {
  /// Sets the status. `restricted` has no effect here, because it comes only from the configuration.
  case setStatus(AppID, AuthorizationStatus)
  case setAccuracy(AppID, FixAccuracy)
  /// Makes the app count as in use in each of its sessions (`USE APP`).
  case use(AppID)
  /// Removes the app's record. The app must ask again.
  case reset(AppID)
  case configure(Authorization.Configuration)
}

/// The entry into a region of an app, or the exit from it.
package struct RegionEvent: Hashable, Sendable {
  /// The id that the app gave to the region.
  package let region: String
  package let isEntry: Bool

  package init(region: String, isEntry: Bool) {
    self.region = region
    self.isEntry = isEntry
  }
}
