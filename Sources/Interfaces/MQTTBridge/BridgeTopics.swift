import LineProtocol

/// The topics of a gateway, and of the app that a bridge speaks for.
package struct BridgeTopics: Hashable, Sendable {
  /// What is published under.
  package let gateway: String
  /// As in `home-assistant`.
  package let app: String

  package init(gateway: String, app: String) {
    self.gateway = gateway
    self.app = app
  }

  /// What all of the app's topics begin with, as in `onefix/boat-7/home-assistant`.
  package var base: String { "onefix/\(gateway)/\(app)" }

  /// Whether the gateway is there: `online` or `offline`, retained.
  package var status: String { "onefix/\(gateway)/status" }

  package var fix: String { base + "/fix" }
  package var authorization: String { base + "/authorization" }
  /// What is retained.
  package var states: [String] { [authorization, base + "/indicator", base + "/receiver"] }
  package var error: String { base + "/error" }

  /// What is asked, whoever is asked as: what is meant for another app is to be counted. Where a broker does not let
  /// this app listen to others' topics, it listens to its own.
  var filters: [(wanted: String, instead: String?)] {
    ["request", "cancel"].map { ("onefix/\(gateway)/+/\($0)", "\(base)/\($0)") }
  }

  /// What a topic asks.
  enum Inquiry: Hashable {
    case request
    case cancel
    /// Meant for another app.
    case foreign(String)
  }

  func inquiry(_ topic: String) -> Inquiry? {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 4, levels[0] == "onefix", levels[1] == gateway, ["request", "cancel"].contains(levels[3])
    else { return nil }
    guard levels[2] == app else { return .foreign(String(levels[2])) }
    return levels[3] == "request" ? .request : .cancel
  }

  /// What is published of a line of the gateway; nil where it says nothing to somebody at a broker.
  func announcement(of line: ServerLine) -> Announcement? {
    switch line {
    case .info, .ok, .ping, .pong: nil
    case .error(let error, let tag, let fields): Announcement(self.error, Self.json(error, tag, fields))
    case .message(let message): announcement(of: message)
    }
  }

  /// States are retained, so that who comes later knows them; what is an event is not. Nothing of them tells a place.
  private func announcement(of message: ServerLine.Message) -> Announcement? {
    switch Topic(rawValue: message.topic) {
    case .buttonPress?: Announcement("\(base)/press", message.json)
    case .indicator?: Announcement("\(base)/indicator", message.json, isRetained: true)
    case .authorization?: Announcement(authorization, message.json, isRetained: true)
    case .receiver?: Announcement("\(base)/receiver", message.json, isRetained: true)
    case .fixOnce?, .fixUpdates?, .regions?, .ownerPrompt?, .ownerNotification?, .ownerApps?, .ownerLog?,
      .ownerRegions?, .ownerSessions?, .ownerSky?, .ownerMetrics?, nil:
      nil
    }
  }

  /// As in `{"code":420,"slug":"no-press","text":"nobody pressed the button in time","id":"a1"}`.
  static func json(_ error: LineError, _ tag: String?, _ fields: ServerLine.Fields) -> String {
    var object = JSONObject()
    object.add("code", error.code.rawValue)
    object.add("slug", error.code.slug)
    object.add("text", error.text)
    object.add("retry_after", fields["retry-after"].flatMap { Int($0) })
    object.add("id", tag.map { String($0.drop { $0 == "@" }) })
    return object.text
  }
}
