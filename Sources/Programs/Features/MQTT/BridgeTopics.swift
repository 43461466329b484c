import LineProtocol

/// The MQTT topics on which the gateway serves one app, and the topic of the gateway's status.
package struct BridgeTopics: Hashable, Sendable {
  /// The configured name of the gateway, as in `boat-7`.
  package let gateway: String
  /// The id of the app, as in `home-assistant`.
  package let app: String

  package init(gateway: String, app: String) {
    self.gateway = gateway
    self.app = app
  }

  /// The prefix of the app's topics, as in `onefix/boat-7/home-assistant`.
  package var base: String { "onefix/\(gateway)/\(app)" }

  /// The topic of the gateway's status. The retained payload is `online` or `offline`.
  package var status: String { "onefix/\(gateway)/status" }

  package var fix: String { base + "/fix" }
  package var place: String { base + "/place" }
  package var authorization: String { base + "/authorization" }
  /// The topics with the present state of the gateway. The broker retains the latest message of each topic.
  package var states: [String] { [authorization, base + "/indicator", base + "/receiver"] }
  package var error: String { base + "/error" }

  /// The topic filters for requests. The broker may refuse the filter `wanted`; the client then subscribes to
  /// `instead`.
  ///
  /// The filter `wanted` matches requests for all apps, so that the gateway can count requests for unknown apps. The
  /// filter `instead` matches only requests for this app.
  var filters: [(wanted: String, instead: String?)] {
    ["request", "cancel"].map { ("onefix/\(gateway)/+/\($0)", "\(base)/\($0)") }
  }

  /// The meaning of an MQTT topic on which requests arrive.
  enum Inquiry: Hashable {
    case request
    case cancel
    /// A command in the format of the program OwnTracks.
    case command
    /// A request or cancellation for an app of another connection. The value is the id of this app.
    case foreign(String)
  }

  /// Returns the meaning of a topic on which requests arrive; nil for any other topic.
  func inquiry(_ topic: String) -> Inquiry? {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 4, levels[0] == "onefix", levels[1] == gateway, ["request", "cancel"].contains(levels[3])
    else { return nil }
    guard levels[2] == app else { return .foreign(String(levels[2])) }
    return levels[3] == "request" ? .request : .cancel
  }

  /// Returns the MQTT message for a line of the line protocol (OneFix's own protocol); nil if MQTT clients do not get
  /// this line.
  func announcement(of line: ServerLine) -> Announcement? {
    switch line {
    case .info, .ok, .ping, .pong: nil
    case .error(let error, let tag, let fields): Announcement(self.error, Self.json(error, tag, fields))
    case .message(let message): announcement(of: message)
    }
  }

  /// Returns the MQTT message for a notification of the gateway, for example a press of the button. The result is nil
  /// for notifications with a position and for owners. Only states are retained.
  private func announcement(of message: ServerLine.Message) -> Announcement? {
    switch Topic(rawValue: message.topic) {
    case .buttonPress?: Announcement("\(base)/press", message.json)
    case .indicator?: Announcement("\(base)/indicator", message.json, isRetained: true)
    case .authorization?: Announcement(authorization, message.json, isRetained: true)
    case .receiver?: Announcement("\(base)/receiver", message.json, isRetained: true)
    case .fixOnce?, .fixUpdates?, .regions?, .ownerPrompt?, .ownerNotification?, .ownerApps?, .ownerButton?, .ownerLog?,
      .ownerRegions?, .ownerPlaces?, .ownerSessions?, .ownerSky?, .ownerMetrics?, nil:
      nil
    }
  }

  /// Returns an error as JSON, as in `{"code":420,"slug":"no-press","text":"nobody pressed the button in
  /// time","id":"a1"}`.
  /// - Parameters:
  ///   - error: The code and the text of the error.
  ///   - tag: The id of the failed request, with a leading `@`; nil for none.
  ///   - fields: The further fields of the error, of which only `retry-after` is used.
  static func json(_ error: LineError, _ tag: String?, _ fields: ServerLine.Fields) -> String {
    JSONObject.text([
      "code": error.code.rawValue, "slug": error.code.slug, "text": error.text,
      "retry_after": fields["retry-after"].flatMap { Int($0) }, "id": tag.map { String($0.drop { $0 == "@" }) },
    ])
  }
}
