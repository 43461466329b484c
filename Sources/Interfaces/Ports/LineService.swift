package import LineProtocol

/// A service that executes the commands of clients and sends the replies. For each connection, the calls come in this
/// order: first `hello`, then any count of `perform` and `polled`, and last `closed`.
package protocol LineService: Sendable {
  var name: String { get }

  var keyring: Keyring { get }

  /// Returns the fields of INFO, the first protocol line on a new connection.
  ///
  /// - Parameters:
  ///   - methods: The methods by which the client can authenticate.
  ///   - nonce: The nonce of this connection, 32 hexadecimal digits.
  ///   - longestLine: The maximum length of a protocol line on this transport, in bytes.
  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields

  /// Opens the session of a client that has authenticated.
  ///
  /// - Parameter identity: The app of the client and the method of its authentication; nil for an owner.
  /// - Returns: False if the service refused the client. In this case, the service has sent an error, and has closed
  ///   the connection if the error code requires an end.
  @discardableResult
  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) async -> Bool

  /// Executes a command of a client that has sent HELLO, and sends exactly one reply.
  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async

  /// Reports that the client asks for a fix, for example with the gpsd command `?POLL`. The service sends the stored
  /// fix for this client, if there is one.
  func polled(on connection: any ClientConnection) async

  /// Reports that a connection has ended.
  ///
  /// - Parameter isFinal: Whether the session ends immediately. If false, the client may connect again within 5 s and
  ///   continue the session.
  func closed(_ connection: any ClientConnection, isFinal: Bool) async
}

/// A service that receives the reports of outputs. An output is an MQTT broker, web server or file to which the gateway
/// sends fixes.
package protocol OutputService: LineService {
  /// Reports that an output is connected. The first fix may be sent only after this call.
  ///
  /// - Parameters:
  ///   - version: The version of MQTT; nil for an output that is not an MQTT broker.
  ///   - timeout: The maximum time for which a fix waits until the MQTT subscriber of the app is connected; nil for no
  ///     wait.
  func connected(
    _ connection: any ClientConnection, with version: MQTTVersion?, awaitingSubscriberFor timeout: Duration?) async

  /// Reports a failed attempt to use an output, for example to connect.
  ///
  /// - Parameter detail: A more exact cause than the fault; nil if no such cause is known.
  func failed(_ fault: OutputFault, detail: String?, on connection: any ClientConnection) async

  /// Reports that the MQTT subscriber that receives the fixes is connected to the broker.
  func subscriberAppeared(on connection: any ClientConnection) async

  /// Reports that the output can now accept a fix.
  func ready(_ connection: any ClientConnection) async

  func acknowledged(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports that the output refuses a publication (a sent fix) finally, so that the fix is lost.
  func refused(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports that the MQTT broker dropped a publication (a sent fix), because its topic has no subscriber. The fix
  /// waits until the service publishes the fix again.
  func discarded(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports the topics whose messages the MQTT broker does not deliver, for example because of access control. The
  /// list is empty if the broker delivers all messages.
  func undelivered(_ topics: [String], on connection: any ClientConnection) async

  /// Reports that the output is disconnected. A fix without an acknowledgement waits for the next connection.
  func disconnected(_ connection: any ClientConnection) async

  /// Reports that the gateway ignored a number of messages from the MQTT broker. The reason is one word, for example
  /// `retained`.
  func ignored(_ reason: String, count: Int, on connection: any ClientConnection) async
}
