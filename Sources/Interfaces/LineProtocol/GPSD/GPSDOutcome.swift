extension GPSDEmulator {
  /// A command to the gateway. The gateway executes the commands one after the other.
  package enum Order: Hashable, Sendable {
    /// Opens a session of the client's app at the gateway. The gateway replies with the tag `tag`.
    case introduce(tag: String)
    case perform(Command, tag: String)
    /// Requests the fix that the gateway keeps for the gpsd command `?POLL`. The gateway may have no such fix.
    case fetch
    case warn(String)
  }

  /// The result of an input: lines for the client, and commands for the gateway.
  package struct Outcome: Hashable, Sendable {
    /// The lines to send to the client, without line ends.
    package var lines: [String] = []
    /// The periodic report that there is no fix, as lines without line ends. The report follows `lines`. It can replace
    /// an earlier periodic report that waits, and never replaces `lines`.
    package var beat: [String] = []
    package var orders: [Order] = []
  }
}
