package import Clocks

/// What happened. Times stand in the event where something else than the moment of handling decides.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session's connection is gone; it may be resumed within its grace period.
  case sessionLost(SessionID)
  case sessionResumed(SessionID)
  /// The session is over, whatever was left of its grace period.
  case sessionEnded(SessionID)
  /// `STATE background`, or `STATE foreground`.
  case stateChanged(SessionID, isInBackground: Bool)

  /// `REQ once`; how long the arm may last, and whether a standing authorization is not to be used. The request is
  /// implicit if its client only watches (`Arm.isImplicit`): the client's `?WATCH` asks for it, and `cancelled` ends it.
  case requested(RequestID, SessionID, timeout: Duration, requiresPress: Bool, isImplicit: Bool = false)
  /// `CANCEL`
  case cancelled(SessionID)
  /// `START updates`; whether they are to go on when the app is not in use.
  case started(RequestID, SessionID, background: Bool)
  /// `STOP updates`
  case stopped(SessionID)
  /// `AUTHORIZE`
  case asked(RequestID, SessionID, Wish)
  /// The border of an app's region was crossed.
  case regionCrossed(AppID, RegionEvent)

  /// A button's line changed, whatever becomes of it.
  case edge(MonotonicInstant)
  /// A press has been released. `illegible` names what keeps a person from seeing the indicator, if anything does;
  /// `showsText` says whether an open prompt's text is before the person at the button.
  case pressed(Press, illegible: String?, showsText: Bool)
  /// A button has been active for `multiple` times the hold time.
  case held(Hold)
  /// A prompt was answered elsewhere than at the button.
  case answered(prompt: Int, Answer)
  case ordered(OwnerOrder)
  /// An owner threw the kill switch elsewhere than at the button.
  case lockOrdered

  /// The fix of a grant, or a fix of updates, has been disclosed.
  case served(RequestID)
  /// The fix of a grant, or updates, cannot be had or given; the app has been told why.
  case failed(RequestID)
  /// What keeps a person from seeing the indicator; nil while nothing does.
  case legibilityChecked(String?)
  /// Whether a display or an owner surface that shows prompts is open.
  case surfacesChanged(areOpen: Bool)
  /// Nothing happened but the time.
  case timePassed
}

/// What an app asks the person for.
package enum Wish: Hashable, Sendable, CaseIterable {
  case whenInUse
  case always
  case fullAccuracy
}

/// What an owner changes.
package enum OwnerOrder: Hashable, Sendable {
  /// `restricted` is the configuration's alone and counts for nothing here.
  case setStatus(AppID, Status)
  case setAccuracy(AppID, Accuracy)
  /// *Use APP*: begins use in each of its sessions.
  case use(AppID)
  /// Forgets the app: it has to ask anew.
  case reset(AppID)
  /// The configuration was read again.
  case configure(Authorization.Configuration)
}

/// A crossing of a region's border.
package struct RegionEvent: Hashable, Sendable {
  /// As the app named it.
  package let region: String
  package let isEntry: Bool

  package init(region: String, isEntry: Bool) {
    self.region = region
    self.isEntry = isEntry
  }
}
