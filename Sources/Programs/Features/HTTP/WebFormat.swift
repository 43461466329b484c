import Base
import LineProtocol
import MQTTBridge
import Ports

extension WebFormat {
  var hasPositionsOnly: Bool { self != .json }

  var contentType: String {
    self == .osmand ? "application/x-www-form-urlencoded" : "application/json"
  }

  /// Returns the header fields besides those of every request.
  func fields(_ topics: BridgeTopics) -> [(String, String)] {
    // The user and the device of OwnTracks. The gateway is the user, and the app is the device.
    self == .owntracks ? [("X-Limit-U", topics.gateway), ("X-Limit-D", topics.app)] : []
  }

  /// Returns the body of the request for a fix; nil if the format has no form for the fix.
  func body(_ fix: PublishedFix, _ topics: BridgeTopics) -> [UInt8]? {
    switch self {
    case .owntracks: OwnTracks(topics).location(fix, namesTopic: true)?.payload
    case .osmand: OsmAnd(topics).parameters(fix).map { Array($0.utf8) }
    case .json: Array(fix.json.utf8)
    }
  }
}

/// The format in which a fix waits for its web server.
struct WebForm: PublicationForm {
  let name: String
  let address: String
  let expires = Duration.seconds(86_400)
  let mostWaiting = 64
  let format: WebFormat
  let topics: BridgeTopics

  init(_ address: WebAddress, format: WebFormat, topics: BridgeTopics) {
    // The path and the query can contain a secret, so they are not in the state and in the status.
    self.address = address.origin
    name = "\(address.origin) \(topics.app) \(format.rawValue)"
    self.format = format
    self.topics = topics
  }

  var hasPositionsOnly: Bool { format.hasPositionsOnly }

  func messages(_ fix: PublishedFix) -> [Publication.Message] {
    guard let body = format.body(fix, topics) else { return [] }
    return [.init(topic: "id", payload: Array(fix.id.utf8)), .init(topic: "body", payload: body)]
  }
}
