/// What happened. Times stand in the event where something else than the moment of handling decides.
package enum Event: Hashable, Sendable {
  case sessionOpened(SessionID, AppID)
  /// The session is over, its grace period included.
  case sessionEnded(SessionID)
  /// `REQ once`; how long the arm may last.
  case requested(RequestID, SessionID, timeout: Duration)
  /// `CANCEL`
  case cancelled(SessionID)

  /// A press has been released. `illegible` names what keeps a person from seeing the indicator, if anything does.
  case pressed(Press, illegible: String?)
  /// A button has been active for `multiple` times the hold time.
  case held(Hold)
  /// An owner answered a prompt elsewhere than at the button.
  case answered(prompt: Int, yes: Bool)
  /// An owner threw the kill switch elsewhere than at the button.
  case lockOrdered

  /// The fix of a grant has been disclosed.
  case served(RequestID)
  /// The fix of a grant cannot be had or given; the app has been told why.
  case failed(RequestID)
  /// Nothing happened but the time.
  case timePassed
}
