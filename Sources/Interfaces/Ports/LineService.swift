package import LineProtocol

/// Executes the commands of clients, and sends the replies. For each connection, the calls come in this order: `hello`,
/// any count of `perform` and `polled`, `closed`.
package protocol LineService: Sendable {
  var name: String { get }

  var keyring: Keyring { get }

  /// Returns the fields of INFO, the first protocol line on a new connection.
  ///
  /// - Parameters:
  ///   - methods: The methods by which the client can authenticate.
  ///   - nonce: The nonce of this connection, 32 hexadecimal digits.
  ///   - longestLine: The maximum length of a line on this transport, in bytes.
  func greeting(methods: String, nonce: String, longestLine: Int) -> ServerLine.Fields

  /// Opens the session of a client that has authenticated.
  ///
  /// - Parameter identity: The app of the client and its proof; nil for an owner.
  /// - Returns: False if the service refused the client. The service has then sent an error, and has closed the
  ///   connection if the code of the error closes connections.
  @discardableResult
  func hello(_ hello: Hello, tag: String?, as identity: Identity?, on connection: any ClientConnection) async -> Bool

  /// Executes a command of a client that has sent HELLO, and sends exactly one reply.
  func perform(_ command: Command, tag: String?, on connection: any ClientConnection) async

  /// Reports that a client asks for a fix (`ClientConnection.isPolled`). If a fix for this client is stored, the
  /// service sends the fix.
  func polled(on connection: any ClientConnection) async

  /// Reports that a connection has ended.
  /// - Parameter isFinal: Whether the session ends immediately. If false, the client may resume its session within the
  ///   grace period.
  func closed(_ connection: any ClientConnection, isFinal: Bool) async
}

/// The service of the gateway for outputs: MQTT brokers, web servers and files that receive fixes.
package protocol OutputService: LineService {
  /// Reports that the output is connected. The output must call this function before its first fix.
  ///
  /// - Parameters:
  ///   - version: The version of MQTT; nil for an output that is no broker.
  ///   - timeout: The maximum time for which a fix waits until its MQTT subscriber is connected; nil for no wait.
  func connected(
    _ connection: any ClientConnection, with version: MQTTVersion?, awaitingSubscriberFor timeout: Duration?) async

  /// Reports a failed attempt to use the output.
  /// - Parameter detail: A more exact cause than the fault; nil if none is known.
  func failed(_ fault: OutputFault, detail: String?, on connection: any ClientConnection) async

  /// Reports that the MQTT subscriber of the fixes is connected.
  func subscriberAppeared(on connection: any ClientConnection) async

  /// Reports that the output is ready for the next fix.
  func ready(_ connection: any ClientConnection) async

  func acknowledged(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports that the output refuses a publication (a published fix) finally, so that the fix is lost.
  func refused(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports that the MQTT broker dropped a publication (a published fix), because its topic has no subscriber. The fix
  /// waits until the service publishes the fix again.
  func discarded(_ publication: Int64, on connection: any ClientConnection) async

  /// Reports the topics whose messages the MQTT broker does not deliver, for example because of its access control. The
  /// list is empty if the broker delivers all messages.
  func undelivered(_ topics: [String], on connection: any ClientConnection) async

  /// Reports that the output is disconnected. A fix without an acknowledgement waits for the next connection.
  func disconnected(_ connection: any ClientConnection) async

  /// Reports that the gateway ignored a message from the MQTT broker. The reason is one word, for example `retained`.
  func ignored(_ reason: String, on connection: any ClientConnection) async
}
