package import Clocks

/// An input of the state machine. An event carries an instant only if the decision depends on another instant than that
/// of handling.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session's connection is lost. It can be resumed within its grace period.
  case sessionLost(SessionID)
  case sessionResumed(SessionID)
  /// The session has ended, even if its grace period has not.
  case sessionEnded(SessionID)
  /// `STATE background` or `STATE foreground` arrived.
  case stateChanged(SessionID, isInBackground: Bool)

  /// `REQ once` arrived. `timeout` is the maximum lifetime of the arm. With `requiresPress` a standing authorization
  /// does not serve the request. The request is implicit if its client only watches (`Arm.isImplicit`): `?WATCH` begins
  /// it, and `cancelled` ends it.
  case requested(RequestID, SessionID, timeout: Duration, requiresPress: Bool, isImplicit: Bool = false)
  /// `CANCEL` arrived.
  case cancelled(SessionID)
  /// `START updates` arrived. With `background` the updates continue when the app is not in use.
  case started(RequestID, SessionID, background: Bool)
  /// `STOP updates` arrived.
  case stopped(SessionID)
  /// `AUTHORIZE` arrived.
  case asked(RequestID, SessionID, Wish)
  /// The device crossed the border of an app's region.
  case regionCrossed(AppID, RegionEvent)

  /// A button's line changed.
  case edge(MonotonicInstant)
  /// A press was released. `illegible` is the restriction that hides the indicator, nil if there is none. `showsText`
  /// is whether a display shows an open prompt's text to the user at the button.
  case pressed(Press, illegible: String?, showsText: Bool)
  /// A button has been active for `multiple` times the hold time.
  case held(Hold)
  /// A prompt was answered without the button.
  case answered(prompt: Int, Answer)
  /// An owner changed an authorization.
  case ordered(OwnerOrder)
  /// An owner activated the kill switch without the button.
  case lockOrdered

  /// The fix of a grant, or a fix of updates, was disclosed.
  case served(RequestID)
  /// No fix is available for a grant or updates. The app already has the reason.
  case failed(RequestID)
  /// Legibility was checked. The value is the restriction that hides the indicator; nil if there is none.
  case legibilityChecked(String?)
  /// A display or owner surface that shows prompts was opened, or the last one was closed.
  case surfacesChanged(areOpen: Bool)
  /// Time passed; nothing else happened.
  case timePassed
}

/// An authorization that an app asks for.
package enum Wish: Hashable, Sendable, CaseIterable {
  case whenInUse
  case always
  case fullAccuracy
}

/// A change by an owner.
package enum OwnerOrder: Hashable, Sendable {
  /// Sets the status. `restricted` comes only from the configuration and has no effect here.
  case setStatus(AppID, Status)
  case setAccuracy(AppID, Accuracy)
  /// Begins use in each of the app's sessions (*Use APP*).
  case use(AppID)
  /// Removes the app's record. The app must ask again.
  case reset(AppID)
  /// Replaces the configuration.
  case configure(Authorization.Configuration)
}

/// A crossing of a region's border.
package struct RegionEvent: Hashable, Sendable {
  /// The id of the region, from the app.
  package let region: String
  package let isEntry: Bool

  package init(region: String, isEntry: Bool) {
    self.region = region
    self.isEntry = isEntry
  }
}
