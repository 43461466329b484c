package import LineProtocol

/// The part of the gateway that executes the commands of clients. For each connection the calls come in this order:
/// `hello`, any number of `perform`, `closed`. The service sends its answers to the connection.
package protocol LineService: Sendable {
  /// The gateway's name.
  var name: String { get }

  /// The keys with which apps authenticate.
  var keyring: Keyring { get }

  /// Returns the fields of INFO, the first line on a new connection.
  ///
  /// - Parameters:
  ///   - methods: The methods by which the client can authenticate.
  ///   - nonce: The nonce of this connection, 32 hexadecimal digits.
  ///   - longestLine: The maximum length of a line on this transport, in bytes.
  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields

  /// Opens the session of a client that has authenticated.
  ///
  /// - Parameter identity: The app; nil for an owner.
  /// - Returns: False if the service refused the client. The service has then sent the error. If the code of the error
  ///   closes connections, the caller must close the connection.
  @discardableResult
  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) async -> Bool

  /// Executes a command of a client that has sent HELLO, and sends exactly one reply.
  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async

  /// Reports that a connection has ended.
  ///
  /// - Parameter isFinal: Whether the client ended its session. If false, the client may resume the session within the
  ///   grace period.
  func closed(_ connection: any ClientConnection, isFinal: Bool) async
}

/// The part of the gateway that serves MQTT bridges. A bridge reports more events than a client of the line protocol.
package protocol BrokerService: LineService {
  /// Reports that the broker is connected. At this time the bridge is not publishing any fix.
  ///
  /// - Parameter patience: The maximum time for which a fix waits until its subscriber is connected. If the value is
  ///   nil, the service publishes a fix without a wait for the subscriber.
  func connected(_ connection: any ClientConnection, awaitingSubscriberFor patience: Duration?) async

  /// Reports that the subscriber of the fixes is connected. The service need not wait any longer for the subscriber.
  func subscriberAppeared(on connection: any ClientConnection) async

  /// Reports that the bridge is not publishing any fix now, so that the service may publish the next fix.
  func ready(_ connection: any ClientConnection) async

  /// Reports that the broker acknowledged a publication.
  func acknowledged(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports that the broker dropped a publication, because its topic has no subscriber. The fix waits until the
  /// service publishes it again.
  func unheard(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports the topics whose messages the broker does not deliver, for example because the access control of the
  /// broker forbids this. The list is empty if the broker delivers all messages that the bridge publishes.
  func undelivered(_ topics: [String], on connection: any ClientConnection) async

  /// Reports that the broker is disconnected. A fix that the broker has not acknowledged waits until the broker is
  /// connected again.
  func disconnected(_ connection: any ClientConnection) async

  /// Reports that the bridge ignored a message.
  ///
  /// - Parameter reason: The reason as one word, for example `retained`.
  func ignored(_ reason: String, on connection: any ClientConnection) async
}
