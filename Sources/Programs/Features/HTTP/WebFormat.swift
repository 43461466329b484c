import LineProtocol
import Ports

extension WebFormat {
  var hasPositionsOnly: Bool { self != .json }

  var contentType: String {
    self == .osmand ? "application/x-www-form-urlencoded" : "application/json"
  }

  /// Returns the additional header fields of this format.
  func fields(_ topics: BridgeTopics) -> [(String, String)] {
    // The user and the device of OwnTracks. The gateway is the user, and the app is the device.
    self == .owntracks ? [("X-Limit-U", topics.gateway), ("X-Limit-D", topics.app)] : []
  }

  /// Returns the body of the request for a fix; nil if the format cannot express the fix.
  func body(_ fix: PublishedFix, _ topics: BridgeTopics) -> [UInt8]? {
    switch self {
    case .owntracks: OwnTracks(topics).location(fix, namesTopic: true)?.payload
    case .osmand:
      // The name of a gateway has no '_', so two gateways never have the same device.
      fix.report.osmAnd(device: "\(topics.gateway)_\(topics.app)", time: fix.time).map { Array($0.utf8) }
    case .json: Array(fix.json.utf8)
    }
  }
}

extension WebAddress {
  /// Returns the conversion of fixes into request bodies for this URL. Each waiting fix has two parts: its identifier,
  /// and the body of the request.
  func form(of app: AppID, as format: WebFormat, _ topics: BridgeTopics) -> OutputForm {
    // The path and the query can contain a secret, so they are not in the state and in the status.
    OutputForm(origin, of: app, as: format.rawValue, hasPositionsOnly: format.hasPositionsOnly) { fix in
      format.body(fix, topics).map { [Array(fix.id.utf8), $0] } ?? []
    }
  }
}
