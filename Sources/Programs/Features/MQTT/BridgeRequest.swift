package import Base
import Configuration
package import LineProtocol

/// The reason why the gateway ignores a request that arrived as an MQTT message.
package enum IgnoredReason: String, Error, Hashable, Sendable {
  /// The topic names an app of another MQTT connection.
  case foreign
  /// The message has the retain flag, so its age is unknown.
  case retained
  /// The message arrived within 1 s after the broker accepted the connection. Such a message may be old, because the
  /// broker may have stored the message for the gateway.
  case early
  case stale
  case malformed
  case tooLong = "too-long"
  case tooMany = "too-many"
}

/// The properties that decide whether a received MQTT message is new enough.
package struct MessageProperties: Hashable, Sendable {
  package var isRetained: Bool
  package var sinceConnected: Duration
  package var arrived: UTCTime
}

/// A request for one fix, in the JSON payload of an MQTT message. An empty payload is a request without options.
package struct BridgeRequest: Hashable, Sendable {
  /// The maximum length of a request's payload, in bytes.
  package static let longest = 4096
  /// The time after the beginning of a connection in which requests are ignored. The broker may have stored such
  /// requests, so their age is unknown.
  package static let quiet = Duration.seconds(1)
  /// The maximum age of a request; older requests are ignored.
  package static let life = Duration.seconds(60)

  /// The id that the app chose for the request, and that the reply repeats; nil if the request has none.
  package var id: String?
  package var options: OnceRequest

  /// The error that the payload of a request is not valid, with the id of the request if known.
  package struct Fault: Error, Hashable, Sendable {
    package var id: String?
    package var error: LineError
  }

  /// Returns the reason to ignore a message because of its age; nil if the message is acceptable.
  package static func check(_ properties: MessageProperties) -> IgnoredReason? {
    if properties.isRetained { return .retained }
    return properties.sinceConnected < quiet ? .early : nil
  }

  /// Parses the payload of a request. The result is nil if the payload says that the request is older than 60 s.
  /// - Parameters:
  ///   - payload: The JSON object of the request, or no bytes.
  ///   - arrived: The time at which the message arrived.
  /// - Throws: `Fault` if the payload is not valid.
  package init?(_ payload: [UInt8], arrived: UTCTime) throws(Fault) {
    guard !payload.isEmpty else {
      self.init(id: nil, options: OnceRequest())
      return
    }
    let members = try Members(payload)
    if let id = members.id, !Self.isID(id) {
      throw Fault(error: LineError(.badArgument, "id must have 1 to 64 letters, digits, dots, dashes or underscores"))
    }
    self.init(id: members.id, options: try members.options())
    guard let asked = try members.asked() else { return }
    // The subtraction overflows if the two times are far apart. A request from the far past is too old.
    let (age, overflow) = arrived.nanosecondsSince1970.subtractingReportingOverflow(asked.nanosecondsSince1970)
    if overflow ? asked < arrived : Duration.nanoseconds(age) > Self.life { return nil }
  }

  private init(id: String?, options: OnceRequest) {
    self.id = id
    self.options = options
  }

  private static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.hasOnlyLetters("._-")
  }
}

/// The members of a request's JSON object. Their names and values are those of the options of the command `REQ` in the
/// line protocol (OneFix's own protocol). Unknown members are ignored.
private struct Members {
  var id: String?
  /// The time at which the app made the request, in ISO 8601 or in seconds since 1970; nil if missing.
  var ts: JSONValue?
  var accuracy: String?
  var maximumAge: Int?
  var timeout: Int?
  var press: String?
  var purpose: String?

  init(_ payload: [UInt8]) throws(BridgeRequest.Fault) {
    guard let json = JSONValue(payload), case .object = json else {
      throw BridgeRequest.Fault(error: LineError(.badArgument, "a request must be a JSON object or empty"))
    }
    do throws(JSONMemberError) {
      id = try json.member("id")
      ts = try json.member("ts")
      accuracy = try json.member("accuracy")
      maximumAge = try json.member("max_age")
      timeout = try json.member("timeout")
      press = try json.member("press")
      purpose = try json.member("purpose")
      if ts?.string == nil { let _: Double? = try json.member("ts") }
    } catch {
      throw BridgeRequest.Fault(error: LineError(.badArgument, error.description))
    }
  }

  /// Returns the options of the request, for example the accuracy.
  /// - Throws: `BridgeRequest.Fault` if the parser of the line protocol (OneFix's own protocol) rejects a value.
  func options() throws(BridgeRequest.Fault) -> OnceRequest {
    var words = ["REQ once"]
    if let accuracy { words.append("accuracy=\(try word(accuracy, "accuracy"))") }
    if let maximumAge { words.append("max-age=\(maximumAge)") }
    if let timeout { words.append("timeout=\(timeout)") }
    if let press { words.append("press=\(try word(press, "press"))") }
    // The purpose comes last, because its value extends to the end of the protocol line.
    if let purpose { words.append("purpose=\(purpose)") }
    do throws(RejectedLine) {
      let line = words.joined(separator: " ")
      guard case .requestOnce(let options) = try TaggedCommand(parsing: line).command else { return OnceRequest() }
      return options
    } catch {
      throw BridgeRequest.Fault(id: id, error: error.error)
    }
  }

  private func word(_ text: String, _ key: String) throws(BridgeRequest.Fault) -> String {
    guard !text.isEmpty, !text.contains(where: \.isWhitespace) else {
      throw BridgeRequest.Fault(id: id, error: LineError(.badArgument, "\(key) must be one word"))
    }
    return text
  }

  func asked() throws(BridgeRequest.Fault) -> UTCTime? {
    guard let ts else { return nil }
    if let time = ts.string.flatMap({ UTCTime(iso8601: $0) }) { return time }
    // The maximum of 9e9 seconds keeps the number of nanoseconds within the range of `Int64`.
    if let seconds = ts.number, seconds.magnitude < 9e9 { return UTCTime(nanosecondsSince1970: Int64(seconds * 1e9)) }
    let isLocal = ts.string.map { UTCTime(iso8601: $0 + "Z") != nil } == true
    throw BridgeRequest.Fault(
      id: id,
      error: LineError(
        .badArgument,
        isLocal
          ? "ts has no offset from UTC (add Z or the offset, as in 2026-11-21T08:31:34+01:00)"
          : "ts must be a time in ISO 8601, as in 2026-11-21T07:31:34.200Z, or seconds since 1970"))
  }
}
