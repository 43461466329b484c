package import LineProtocol

/// What stands behind the lines: it is told who came, what they say, and that they left, in that order, and answers on
/// the connection.
package protocol LineService: Sendable {
  /// What the gateway is called.
  var name: String { get }

  /// The keys by which apps prove themselves.
  var keyring: Keyring { get }

  /// What a new connection is told first.
  /// - Parameters:
  ///   - methods: how its client may prove who it is.
  ///   - nonce: of this connection, 32 hexadecimal digits.
  ///   - longestLine: in bytes, as the transport has it.
  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields

  /// A client whose identity is verified says hello: an app, or nil for an owner.
  /// - Returns: whether it is welcome; else it was told why, and where the code closes the connection ends.
  @discardableResult
  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: Connection) async -> Bool

  /// A command of a client that has said hello. Exactly one reply is sent.
  func perform(_ command: Command, tag: String?, on connection: Connection) async

  /// The connection is gone; finally where the client said so, else it may come back within the grace period.
  func closed(_ connection: Connection, isFinal: Bool) async
}
