package import LineProtocol

/// An action of an owner, which a key of `onefix top` starts.
package enum OwnerAction: Hashable, Sendable {
  case verb(OwnerVerb)
  case press
  case hold
}

/// The result of an action of an owner.
package enum ActionOutcome: Hashable, Sendable {
  /// A text for the last row, which disappears after some seconds.
  case message(String)
  /// Lines of text in place of the lists, until the user presses a key.
  case pager([String])
}
