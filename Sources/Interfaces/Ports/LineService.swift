package import LineProtocol

/// The core behind all connections. For each connection the calls come in this order: `hello`, any number of `perform`,
/// `closed`. Answers go to the connection.
package protocol LineService: Sendable {
  /// The gateway's name.
  var name: String { get }

  /// The keys with which apps authenticate.
  var keyring: Keyring { get }

  /// Returns the fields of the first line of a new connection.
  /// - Parameters:
  ///   - methods: how the client can authenticate.
  ///   - nonce: of this connection, 32 hexadecimal digits.
  ///   - longestLine: of the transport, in bytes.
  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields

  /// Opens the session of a client that has authenticated.
  /// - Parameter identity: the app; nil for an owner.
  /// - Returns: false if the client was refused. The reason was sent, and the connection has to close if the error code
  ///   closes.
  @discardableResult
  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) async -> Bool

  /// Performs a command of a client that has sent HELLO, and sends exactly one reply.
  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async

  /// Notes that a connection has ended.
  /// - Parameter isFinal: whether the client ended its session; otherwise it may resume within the grace period.
  func closed(_ connection: any ClientConnection, isFinal: Bool) async
}

/// The core behind a bridge. A bridge reports more events than a client of the line protocol.
package protocol BrokerService: LineService {
  /// Notes that the broker is connected, and that no publication is in flight.
  ///
  /// - Parameter patience: the maximum time that fixes wait for a sign of their subscriber; nil if fixes do not wait.
  func connected(_ connection: any ClientConnection, awaitingSubscriberFor patience: Duration?) async

  /// Notes a sign of the subscriber. Fixes no longer wait for the sign.
  func subscriberAppeared(on connection: any ClientConnection) async

  /// Notes that no publication is in flight, so that the next fix may be published.
  func ready(_ connection: any ClientConnection) async

  /// Notes that the broker acknowledged a publication.
  func acknowledged(_ publication: Int64, on connection: any ClientConnection) async

  /// Notes that the broker dropped a publication because the topic has no subscriber. The fix continues to wait.
  func unheard(_ publication: Int64, on connection: any ClientConnection) async

  /// Notes the topics of descriptions that the broker did not deliver; empty if the broker delivered all of them.
  func undelivered(_ topics: [String], on connection: any ClientConnection) async

  /// Notes that the broker is disconnected. The fix that was in flight waits again.
  func disconnected(_ connection: any ClientConnection) async

  /// Notes a message that was ignored.
  /// - Parameter reason: one word, as in `retained`.
  func ignored(_ reason: String, on connection: any ClientConnection) async
}
