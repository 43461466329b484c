package import Clocks
import FoundationEssentials
package import LineProtocol

/// The reason why a bridge ignores a message.
package enum IgnoredReason: String, Error, Hashable, Sendable, CaseIterable {
  /// The topic belongs to another app.
  case foreign
  /// The message is retained, so its age is unknown.
  case retained
  /// The message arrived within 1 s after the connection began. The broker may have queued the message before, so its
  /// age is unknown.
  case early
  /// The request is older than one minute.
  case stale
  case malformed
  case tooLong = "too-long"
  /// The app sends requests faster than its limit permits.
  case tooMany = "too-many"
}

/// The properties of a message, apart from its topic and payload.
package struct Circumstance: Hashable, Sendable {
  package var isRetained: Bool
  /// The time since the broker accepted the connection.
  package var sinceConnected: Duration
  package var arrived: UTCTime

  package init(isRetained: Bool, sinceConnected: Duration, arrived: UTCTime) {
    self.isRetained = isRetained
    self.sinceConnected = sinceConnected
    self.arrived = arrived
  }
}

/// A request for one fix, as a JSON object. An empty payload is a request without options.
package struct BridgeRequest: Hashable, Sendable {
  /// The maximum length of a payload, in bytes.
  package static let longest = 4096
  /// The time after the beginning of a connection in which the bridge ignores messages, because the broker may have
  /// queued them before.
  package static let quiet = Duration.seconds(1)
  /// The age at which a request expires.
  package static let life = Duration.seconds(60)

  /// The id that the answer contains; nil if the request has no id.
  package var id: String?
  package var options: OnceRequest

  /// An error in the payload of a request.
  package struct Fault: Error, Hashable, Sendable {
    package var id: String?
    package var error: LineError
  }

  /// Checks everything but the payload of a message. Returns the reason to ignore the message; nil if the bridge must
  /// parse the payload.
  package static func check(_ circumstance: Circumstance) -> IgnoredReason? {
    if circumstance.isRetained { return .retained }
    return circumstance.sinceConnected < quiet ? .early : nil
  }

  /// Parses a payload.
  ///
  /// - Returns: Nil if the request is older than 60 s.
  package init?(_ payload: [UInt8], arrived: UTCTime) throws(Fault) {
    guard !payload.isEmpty else {
      self.init(id: nil, options: OnceRequest())
      return
    }
    let members = try Members.read(payload)
    if let id = members.id, !Self.isID(id) {
      throw Fault(error: LineError(.badArgument, "id must have 1 to 64 letters, digits, dots, dashes or underscores"))
    }
    self.init(id: members.id, options: try members.options())
    guard let asked = try members.asked() else { return }
    // The subtraction overflows if the two times are far apart. In this case the request is too old if its time is
    // before the time of arrival.
    let (age, overflow) = arrived.nanosecondsSince1970.subtractingReportingOverflow(asked.nanosecondsSince1970)
    if overflow ? asked < arrived : Duration.nanoseconds(age) > Self.life { return nil }
  }

  private init(id: String?, options: OnceRequest) {
    self.id = id
    self.options = options
  }

  private static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "._-".unicodeScalars.contains($0))
      }
  }
}

/// The members of a request, with the same keys as the command `REQ` of the line protocol. Unknown members are ignored.
private struct Members: Decodable {
  /// A time, in ISO 8601 or in seconds since 1970.
  enum Moment: Decodable {
    case text(String)
    case seconds(Double)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self = .text(text)
      } else {
        self = .seconds(try value.decode(Double.self))
      }
    }
  }

  var id: String?
  var ts: Moment?
  var accuracy: String?
  var max_age: Int?
  var timeout: Int?
  var press: String?
  var purpose: String?

  static func read(_ payload: [UInt8]) throws(BridgeRequest.Fault) -> Members {
    do {
      return try JSONDecoder().decode(Members.self, from: Data(payload))
    } catch let error as DecodingError {
      throw BridgeRequest.Fault(error: LineError(.badArgument, text(of: error)))
    } catch {
      throw BridgeRequest.Fault(error: LineError(.badLine, "a request must be a JSON object or empty"))
    }
  }

  private static func text(of error: DecodingError) -> String {
    let (path, kind): ([any CodingKey], String) =
      switch error {
      case .typeMismatch(_, let context): (context.codingPath, "has the wrong type")
      case .valueNotFound(_, let context): (context.codingPath, "has no value")
      case .keyNotFound(_, let context): (context.codingPath, "is missing")
      case .dataCorrupted(let context): (context.codingPath, "cannot be read")
      @unknown default: ([], "")
      }
    guard let key = path.first else { return "a request must be a JSON object or empty" }
    return "\(key.stringValue) \(kind)"
  }

  /// Returns the options of the request. The parser of the line protocol checks them.
  func options() throws(BridgeRequest.Fault) -> OnceRequest {
    var words = ["REQ once"]
    if let accuracy { words.append("accuracy=\(try word(accuracy, "accuracy"))") }
    if let max_age { words.append("max-age=\(max_age)") }
    if let timeout { words.append("timeout=\(timeout)") }
    if let press { words.append("press=\(try word(press, "press"))") }
    // The purpose comes last, because its value extends to the end of the line.
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
    switch ts {
    case nil: return nil
    case .text(let text)?:
      if let time = UTCTime(iso8601: text) { return time }
    case .seconds(let seconds)?:
      // Times of at least 9e9 s are refused, because their number of nanoseconds may exceed `Int64`.
      if seconds.magnitude < 9e9 { return UTCTime(nanosecondsSince1970: Int64(seconds * 1e9)) }
    }
    throw BridgeRequest.Fault(
      id: id, error: LineError(.badArgument, "ts must be a UTC time, as in 2026-11-21T07:31:34Z, or seconds since 1970")
    )
  }
}
