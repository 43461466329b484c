package import LineProtocol

/// An action that an owner starts with a key.
package enum OwnerAction: Hashable, Sendable {
  case verb(OwnerVerb)
  case press
  case hold
}

/// The result of an owner's action.
package enum ActionOutcome: Hashable, Sendable {
  /// A text that the screen shows for some seconds.
  case message(String)
  /// Lines that the screen shows until the user presses a key.
  case pager([String])
}
