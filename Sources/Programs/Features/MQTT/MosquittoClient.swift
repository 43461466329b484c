import CMosquitto
import Glibc
import LineProtocol
import OperatingSystem

/// One connection to an MQTT broker through the library libmosquitto. A new connection needs a new object, so that no
/// unsent message of an earlier connection is sent. All methods and callbacks run on one thread.
@safe final class MosquittoClient {
  enum Event {
    case accepted
    /// The broker refused the connection. The fault is `version` if the broker does not support this MQTT version.
    case refused(cause: String, OutputFault)
    /// A message from the broker. The payload is nil if the payload is longer than any request.
    case message(topic: String, payload: [UInt8]?, isRetained: Bool)
    /// The broker acknowledged a message with quality of service 1, given by its MQTT message id. (MQTT 5.0 §3.4.2.1)
    case acknowledged(message: Int32, Acknowledgement)
    /// The broker answered a subscription, given by its MQTT message id.
    case subscribed(message: Int32, isRefused: Bool)
    case ended(cause: String, OutputFault)
  }

  /// The broker's answer to a published message. With MQTT 3.1.1, the answer is always `accepted`.
  enum Acknowledgement: Hashable {
    case accepted
    /// The broker discarded the message, because its topic has no subscriber. (Reason code 0x10)
    case noSubscriber
    case refused(cause: String)

    init(reason: Int32) {
      self =
        switch reason {
        case Int32(MQTT_RC_NO_MATCHING_SUBSCRIBERS.rawValue): .noSubscriber
        case ..<128: .accepted
        default: .refused(cause: unsafe MosquittoClient.plain(String(cString: mosquitto_reason_string(reason))))
        }
    }
  }

  /// The time in seconds without traffic after which libmosquitto sends a ping to the broker.
  static let keepalive: Int32 = 30
  /// The maximum packet size in bytes that a broker with MQTT 5 may send to the gateway. (MQTT 5.0 §3.1.2.11.4)
  private static let longestPacket: UInt32 = 65_536
  /// The maximum time in milliseconds for which `work` waits for data.
  private static let workTime: Int32 = 1000
  /// The maximum time in milliseconds for which `flush` waits for the broker.
  private static let flushTime: Int32 = 100

  let version: MQTTVersion
  private let handle: OpaquePointer
  private let settings: BrokerSettings
  /// The TLS context of the connection; nil for an unencrypted connection.
  private var tls: OpaquePointer?
  private var isAccepted = false
  /// The events since the last call of `removeEvents()`, oldest first.
  private var events: [Event] = []
  /// The last error message of libmosquitto; nil for none.
  private var complaint: String?
  /// The byte stream between libmosquitto and the broker, which limits the packet length; nil before `connect()`.
  private var stream: BrokerStream?

  private static let library: Int32 = mosquitto_lib_init()

  /// Creates a client, which connects only in `connect()`.
  /// - Parameter will: The message that the broker publishes if the connection ends without a DISCONNECT packet.
  init(_ settings: BrokerSettings, _ version: MQTTVersion, will: Announcement) throws(OutputError) {
    _ = Self.library
    guard let handle = unsafe mosquitto_new(settings.clientID, true, nil) else {
      throw OutputError("create a client for", settings.address, .machine, detail: "out of memory")
    }
    self.version = version
    unsafe self.handle = handle
    self.settings = settings
    // SAFETY: libmosquitto uses the pointer only while the handle exists, and `deinit` destroys the handle.
    unsafe mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
    let number = version == .five ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    try check("set up", unsafe mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, Int32(number)))
    try check(
      "set the will at",
      unsafe mosquitto_will_set(
        handle, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained))
    try setUser()
    try setTLS()
  }

  deinit {
    unsafe mosquitto_destroy(handle)
    unsafe onefix_tls_free(tls)
  }

  private func setUser() throws(OutputError) {
    guard let username = settings.username else { return }
    var password: String?
    if let path = settings.passwordFile { password = try SecretFile.read(path) }
    try check("set the user for", unsafe mosquitto_username_pw_set(handle, username, password))
  }

  private func setTLS() throws(OutputError) {
    guard let files = settings.tls else { return }
    unsafe tls = onefix_tls_new(handle, settings.host, files.ca, files.certificate, files.key)
    switch unsafe tls.map({ unsafe onefix_tls_fault($0) }) {
    case ONEFIX_TLS_CA_FILE?: throw OutputError.unusable(files.ca, "it has no certificate in PEM format")
    case ONEFIX_TLS_CERTIFICATE_FILE?:
      throw OutputError.unusable(files.certificate, "it has no certificate in PEM format")
    case ONEFIX_TLS_KEY_FILE?:
      throw OutputError.unusable(files.key, "it has no private key in PEM format for 'certificate'")
    case nil: throw OutputError("set up TLS for", settings.address, .machine, detail: "out of memory")
    default: break
    }
  }

  // MARK: Operations

  /// Connects to the broker's host and requests the MQTT session. Later, the event `accepted` or `refused` reports the
  /// broker's answer.
  func connect() throws(OutputError) {
    var properties: OpaquePointer?
    if version == .five {
      let property = Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue)
      try check("set up", unsafe mosquitto_property_add_int32(&properties, property, Self.longestPacket))
    }
    defer { unsafe mosquitto_property_free_all(&properties) }
    try check(
      "connect to",
      unsafe mosquitto_connect_bind_v5(
        handle, settings.host, Int32(settings.port), Self.keepalive, nil, properties))
    do {
      stream = try BrokerStream(at: socket)
    } catch {
      throw OutputError("connect to", settings.address, .machine, detail: systemErrorText(error.number))
    }
  }

  /// The file descriptor of libmosquitto's socket; negative without a connection.
  private var socket: Int32 { unsafe mosquitto_socket(handle) }

  /// The file descriptor of the connection to the broker; negative before `connect`.
  var brokerSocket: Int32 { stream?.broker ?? -1 }

  var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) || stream?.isFull == true }

  /// Subscribes to a topic filter with quality of service 1, and returns the MQTT message id.
  ///
  /// With MQTT 5, the option Retain As Published keeps the publisher's retain flag. With MQTT 3.1.1, the flag is set
  /// only in messages that the broker stored before the subscription. (MQTT 5.0 §3.8.3.1)
  func subscribe(_ filter: String) throws(OutputError) -> Int32 {
    var message: Int32 = 0
    if version == .five {
      let options = Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue)
      try check("subscribe at", unsafe mosquitto_subscribe_v5(handle, &message, filter, 1, options, nil))
    } else {
      try check("subscribe at", unsafe mosquitto_subscribe(handle, &message, filter, 1))
    }
    return message
  }

  /// Publishes an announcement (an MQTT message without a fix), and returns the MQTT message id. The quality of service
  /// is 1 if the delivery is verified, otherwise 0.
  @discardableResult
  func publish(_ announcement: Announcement) throws(OutputError) -> Int32 {
    var message: Int32 = 0
    try check(
      "publish at",
      unsafe mosquitto_publish(
        handle, &message, announcement.topic, Int32(announcement.payload.count), announcement.payload,
        announcement.isVerified ? 1 : 0, announcement.isRetained))
    return message
  }

  /// Publishes a message with quality of service 1 and without the retain flag, and returns the MQTT message id.
  /// - Parameter life: The time in seconds for which the broker may keep the message for absent subscribers. (MQTT 5.0
  ///   §3.3.2.3.3)
  func publish(_ topic: String, _ payload: [UInt8], life: UInt32) throws(OutputError) -> Int32 {
    var message: Int32 = 0
    var properties: OpaquePointer?
    if version == .five {
      let property = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
      try check("set up", unsafe mosquitto_property_add_int32(&properties, property, life))
    }
    defer { unsafe mosquitto_property_free_all(&properties) }
    try check(
      "publish at",
      unsafe mosquitto_publish_v5(
        handle, &message, topic, Int32(payload.count), payload, 1, false, properties))
    return message
  }

  /// Ends the connection with the MQTT packet DISCONNECT. The broker then does not publish the will (the message for a
  /// lost connection).
  func disconnect() { _ = unsafe mosquitto_disconnect(handle) }

  /// Waits until the broker's connection is ready, and then reads and writes. The function returns early for input on
  /// the descriptor `wake`, and at the latest after `workTime`.
  func work(orUntil wake: Int32) throws(OutputError) {
    guard let stream else { return }
    func poll(_ descriptor: Int32, reading: Bool, writing: Bool) -> pollfd {
      pollfd(fd: descriptor, events: (reading ? Int16(POLLIN) : 0) | (writing ? Int16(POLLOUT) : 0), revents: 0)
    }
    // While the broker accepts no bytes, the client does not read the broker's bytes. Otherwise, libmosquitto would
    // keep its answers in memory without a limit.
    var polled = [
      poll(stream.broker, reading: !stream.isFull, writing: stream.isFull),
      poll(stream.inner, reading: !stream.isFull, writing: false),
      poll(socket, reading: true, writing: unsafe mosquitto_want_write(handle)),
      poll(wake, reading: true, writing: false),
    ]
    // SAFETY: the array `polled` has `polled.count` elements.
    _ = unsafe Glibc.poll(&polled, nfds_t(polled.count), Self.workTime)
    let ended = Int16(POLLHUP | POLLERR)
    let hasUnread = polled[2].revents & (Int16(POLLIN) | ended) != 0
    let hasArrived = polled[0].revents & (Int16(POLLIN) | ended) != 0
    if !hasUnread, hasArrived { stream.receive() }
    if hasUnread || hasArrived { try check("read from", unsafe mosquitto_loop_read(handle, 1)) }
    if polled[2].revents & Int16(POLLOUT) != 0 { try check("write to", unsafe mosquitto_loop_write(handle, 1)) }
    try check("keep the connection to", unsafe mosquitto_loop_misc(handle))
    stream.send()
    guard !stream.isPacketTooLong else {
      throw OutputError(
        "read from", settings.address, .tooLong,
        detail: "the broker sent a packet of more than \(BrokerStream.longestPacket) bytes")
    }
  }

  /// Sends libmosquitto's bytes until all bytes are sent, or until `flushTime` is over. Returns whether all bytes are
  /// sent.
  func flush() -> Bool {
    guard let stream else { return true }
    stream.send()
    guard stream.isFull else { return true }
    var polled = [pollfd(fd: stream.broker, events: Int16(POLLOUT), revents: 0)]
    // SAFETY: the count of 1 is the length of the array `polled`.
    _ = unsafe poll(&polled, 1, Self.flushTime)
    stream.send()
    return !stream.isFull
  }

  func removeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  private func check(_ operation: String, _ result: Int32) throws(OutputError) {
    guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
    let number = errno
    if let fault = certificateFault { throw OutputError(operation, settings.address, fault) }
    let (fault, cause): (OutputFault, String) =
      switch result {
      // In Debian 13, libmosquitto can report an error of TLS in this way.
      case MOSQ_ERR_ERRNO.rawValue where number == EPROTO: (connectionFault(isTLS: true), systemErrorText(number))
      case MOSQ_ERR_ERRNO.rawValue: (stream == nil ? .unreachable : .ended, systemErrorText(number))
      case MOSQ_ERR_EAI.rawValue: (.unknownName, OutputFault.unknownName.cause)
      // For this error, libmosquitto in Debian 12 has no text.
      case MOSQ_ERR_KEEPALIVE.rawValue: (.silent, "the broker has not answered for \(Self.keepalive) s")
      // libmosquitto has no text for this error either. In Debian 13 it is also the error for the answer of a broker
      // that does not support MQTT 5.
      case MOSQ_ERR_MALFORMED_PACKET.rawValue:
        (isAccepted || version == .three ? .ended : .version, "the broker sent a malformed packet")
      case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_CONN_LOST.rawValue:
        (connectionFault(isTLS: result == MOSQ_ERR_TLS.rawValue), unsafe String(cString: mosquitto_strerror(result)))
      case MOSQ_ERR_NOMEM.rawValue: (.machine, "out of memory")
      // The message exceeds the limit that the broker announced. Only the gateway knows this cause. (MQTT 5.0 §3.2.2.3.6)
      case MOSQ_ERR_OVERSIZE_PACKET.rawValue: (.publication, unsafe String(cString: mosquitto_strerror(result)))
      // The broker accepts the connection, but no message with QoS 1. (MQTT 5.0 §3.2.2.3.4)
      case MOSQ_ERR_QOS_NOT_SUPPORTED.rawValue: (.refused, unsafe String(cString: mosquitto_strerror(result)))
      default: (.ended, unsafe String(cString: mosquitto_strerror(result)))
      }
    let detail = fault == .noTLS ? nil : Self.plain(complaint.map { "\(cause): \($0)" } ?? cause)
    throw OutputError(operation, settings.address, fault, detail: detail)
  }

  /// The reason why this client rejected the broker's TLS certificate; nil if the certificate was not rejected.
  private var certificateFault: OutputFault? {
    switch unsafe tls.map({ unsafe onefix_tls_fault($0) }) {
    case ONEFIX_TLS_UNTRUSTED?: .untrusted
    case ONEFIX_TLS_EXPIRED?: .expired
    case ONEFIX_TLS_NOT_YET_VALID?: .notYetValid
    case ONEFIX_TLS_WRONG_HOST?: .wrongHost
    case ONEFIX_TLS_INVALID?: .invalidCertificate
    default: nil
    }
  }

  /// Returns the reason why the connection ended, if the broker's certificate was not rejected.
  /// - Parameter isTLS: Whether libmosquitto reported a TLS error.
  private func connectionFault(isTLS: Bool) -> OutputFault {
    guard !isAccepted, let tls = unsafe tls else { return .ended }
    // An alert is the other side's reason to end TLS, as in "tlsv13 alert certificate required". (RFC 8446 §6)
    if let words = complaint?.split(separator: " "), words.contains("alert") {
      return words.contains("certificate") || words.contains("ca") ? .clientCertificate : .otherTLS
    }
    if unsafe onefix_tls_fault(tls) == ONEFIX_TLS_UNVERIFIED { return .noTLS }
    return isTLS ? .otherTLS : .ended
  }

  /// Returns an error text of libmosquitto in the style of the gateway's messages: a small first letter, and no period.
  private static func plain(_ text: String) -> String {
    let end = text.hasSuffix(".") ? text.dropLast() : text[...]
    return end.prefix(1).lowercased() + end.dropFirst()
  }

  /// Returns the fault for a reason with which a broker refuses a connection. After some reasons, the same settings can
  /// succeed later. (MQTT 5.0 §3.2.2.2, MQTT 3.1.1 §3.2.2.3)
  static func fault(ofRefusal reason: Int32) -> OutputFault {
    let versions = [MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue, CONNACK_REFUSED_PROTOCOL_VERSION.rawValue]
    let passing = [
      CONNACK_REFUSED_SERVER_UNAVAILABLE.rawValue, MQTT_RC_SERVER_UNAVAILABLE.rawValue, MQTT_RC_SERVER_BUSY.rawValue,
      MQTT_RC_QUOTA_EXCEEDED.rawValue, MQTT_RC_CONNECTION_RATE_EXCEEDED.rawValue,
    ]
    if versions.contains(where: { Int32($0) == reason }) { return .version }
    return passing.contains { Int32($0) == reason } ? .busy : .refused
  }

  /// Returns the fault for a reason with which a broker ends an accepted connection. (MQTT 5.0 §3.14.2.1)
  private static func fault(ofEnd reason: Int32) -> OutputFault {
    let ofSettings = [
      MQTT_RC_NOT_AUTHORIZED.rawValue, MQTT_RC_SESSION_TAKEN_OVER.rawValue, MQTT_RC_RETAIN_NOT_SUPPORTED.rawValue,
      MQTT_RC_QOS_NOT_SUPPORTED.rawValue,
    ]
    if ofSettings.contains(where: { Int32($0) == reason }) { return .refused }
    return reason == Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue) ? .publication : .ended
  }

  // MARK: Callbacks of the library

  private func setCallbacks() {
    // Each callback runs on the thread that calls a method of this object, with the context that `init` set.
    unsafe mosquitto_connect_v5_callback_set(handle) { _, context, reason, _, _ in
      let client = unsafe MosquittoClient.from(context)
      let text = unsafe String(
        cString: client.version == .five
          ? mosquitto_reason_string(reason) : mosquitto_connack_string(reason))
      client.isAccepted = reason == 0
      client.events.append(
        reason == 0 ? .accepted : .refused(cause: MosquittoClient.plain(text), MosquittoClient.fault(ofRefusal: reason))
      )
    }
    unsafe mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
      // Smaller numbers are errors of the library, which the failed function also returns.
      guard reason >= 128 else { return }
      let text = unsafe String(cString: mosquitto_reason_string(reason))
      unsafe MosquittoClient.from(context).events.append(
        .ended(cause: MosquittoClient.plain(text), MosquittoClient.fault(ofEnd: reason)))
    }
    unsafe mosquitto_publish_v5_callback_set(handle) { _, context, message, reason, _ in
      unsafe MosquittoClient.from(context).events.append(
        .acknowledged(message: message, Acknowledgement(reason: reason)))
    }
    unsafe mosquitto_subscribe_callback_set(handle) { _, context, message, count, granted in
      let isRefused = (0..<Int(count)).contains { unsafe (granted?[$0] ?? 128) >= 128 }
      unsafe MosquittoClient.from(context).events.append(.subscribed(message: message, isRefused: isRefused))
    }
    unsafe mosquitto_message_callback_set(handle) { _, context, message in
      guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
      let length = unsafe Int(message.payloadlen)
      var payload: [UInt8]?
      if length <= BridgeRequest.longest {
        // SAFETY: libmosquitto keeps the payload valid until the callback returns.
        payload = unsafe [UInt8](UnsafeRawBufferPointer(start: message.payload, count: length))
      }
      unsafe MosquittoClient.from(context).events.append(
        .message(topic: String(cString: topic), payload: payload, isRetained: message.retain))
    }
    unsafe mosquitto_log_callback_set(handle) { _, context, level, text in
      guard let text = unsafe text.map({ unsafe String(cString: $0) }) else { return }
      let client = unsafe MosquittoClient.from(context)
      switch level {
      case Int32(MOSQ_LOG_ERR): client.complaint = MosquittoClient.plain(text)
      case Int32(MOSQ_LOG_DEBUG): client.note(text)
      default: break
      }
    }
  }

  /// Processes a log message of libmosquitto. Only the log shows that a packet is complete, as in `Client ID received
  /// PUBLISH (d0, q1, r0, m7, 'TOPIC', ... (2 bytes))`.
  private func note(_ text: String) {
    let words = text.split(separator: " ")
    guard let received = words.firstIndex(of: "received") else { return }
    stream?.notePacket()
    // The client has no subscription with QoS 2. A faulty broker could send such messages, and libmosquitto would keep
    // them in memory without a limit.
    if words[received...].prefix(4).last == "q2,", words[received + 1] == "PUBLISH" {
      events.append(
        .ended(cause: "the broker sent a message with QoS 2, to which the gateway did not subscribe", .ended))
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoClient {
    // SAFETY: `init` sets the context, and the object destroys the handle before the object itself is deallocated.
    unsafe Unmanaged<MosquittoClient>.fromOpaque(context!).takeUnretainedValue()
  }
}
