package import Clocks
package import LineProtocol

/// An event that the state machine handles. Some events contain the instant at which they occurred, because the
/// decision depends on that instant. For all other events the decision depends on the instant at which the state
/// machine handles the event.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session lost its connection. The client can resume the session within the grace period.
  case sessionLost(SessionID)
  case sessionResumed(SessionID)
  /// The session has ended for good. The client cannot resume it.
  case sessionEnded(SessionID)
  /// `STATE background` or `STATE foreground` arrived.
  case stateChanged(SessionID, isInBackground: Bool)

  /// A request for one fix arrived (`REQ once`). `timeout` is the maximum time to wait for a press of the button. If
  /// `requiresPress` is true, the request waits for a press even if the app has a standing authorization. `isImplicit`
  /// is true if a gpsd client made the request with `?WATCH` (see `Arm.isImplicit`). The event `cancelled` ends such a
  /// request.
  case requested(RequestID, SessionID, timeout: Duration, requiresPress: Bool, isImplicit: Bool = false)
  /// `CANCEL` arrived.
  case cancelled(SessionID)
  /// `START updates` arrived. If `background` is true, the updates continue when the app is no longer in use.
  case started(RequestID, SessionID, background: Bool)
  /// `STOP updates` arrived.
  case stopped(SessionID)
  /// `AUTHORIZE` arrived.
  case asked(RequestID, SessionID, AuthorizationWish)
  /// The device crossed the border of an app's region.
  case regionCrossed(AppID, RegionEvent)

  /// A button became active or inactive: its electrical level changed.
  case edge(MonotonicInstant)
  /// A user pressed and released a button. `illegible` is the reason why the user cannot see the indicator; nil if the
  /// user can see it. `showsText` is true if a display shows the text of the open prompt to the user at the button.
  case pressed(Press, illegible: String?, showsText: Bool)
  /// A user has held a button for the hold time, or for twice the hold time.
  case held(Hold)
  /// A user answered a prompt on a display, the console, the command line or the page.
  case answered(prompt: Int, Answer)
  /// An owner changed an authorization.
  case ordered(OwnerChange)
  /// An owner locked the gateway without the button.
  case lockOrdered

  /// The gateway disclosed a fix: the one-time fix that a grant permits, or any fix of updates.
  case served(RequestID)
  /// The gateway cannot get a fix for this grant, or for these updates. The app has already received the reason.
  case failed(RequestID)
  /// The gateway checked whether a user can see the indicator. The value is the reason why a user cannot see the
  /// indicator; nil if a user can see it.
  case legibilityChecked(String?)
  /// A surface is a display, a console or a page that shows prompts. This event means that a surface was opened, or
  /// that a surface was closed and no other surface is open.
  case surfacesChanged(areOpen: Bool)
  /// Time passed, and no other event occurred.
  case timePassed
}

/// A change by an owner.
package enum OwnerChange: Hashable, Sendable {
  /// Sets the status. `restricted` comes only from the configuration and has no effect here.
  case setStatus(AppID, AuthorizationStatus)
  case setAccuracy(AppID, FixAccuracy)
  /// Makes the app count as in use in each of its sessions. An owner requests this with the command `USE APP`.
  case use(AppID)
  /// Removes the app's record. The app must ask again.
  case reset(AppID)
  /// Replaces the configuration.
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
