package import LineProtocol

/// An action of an owner (administrator), which a key of the terminal program `onefix top` starts.
package enum OwnerAction: Hashable, Sendable {
  case verb(OwnerVerb)
  case press
  case hold
}

/// The text that the terminal program `onefix top` shows after an action.
package enum ActionOutcome: Hashable, Sendable {
  /// A text in the last row of the screen, which disappears after some seconds.
  case message(String)
  /// Lines of text that replace the lists on the screen until the user presses a key.
  case pager([String])
}
