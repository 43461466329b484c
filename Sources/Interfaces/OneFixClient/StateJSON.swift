import FoundationEssentials
import GNSS

/// The JSON members of the gateway's notifications.
private struct Members: Decodable {
  var state: String?
  var status: String?
  var accuracy: String?
  var authorized: Bool?
  var reason: String?
  var event: String?
  var id: String?
  var lat: Double?
  var lon: Double?
  var radius: Double?
  var events: String?
  var text: String?

  init?(_ json: String) {
    guard let members = try? JSONDecoder().decode(Members.self, from: Data(json.utf8)) else { return nil }
    self = members
  }
}

// A later version of the gateway may send a value that this client does not support. The initializers then return nil,
// and the last known state stays.

extension OneFixClient.Authorization {
  init?(json: String) {
    guard let members = Members(json) else { return nil }
    self.init(status: members.status, accuracy: members.accuracy)
  }

  init?(status: String?, accuracy: String?) {
    guard let status = status.flatMap({ AuthorizationStatus(rawValue: $0) }),
      let accuracy = accuracy.flatMap({ FixAccuracy(rawValue: $0) })
    else { return nil }
    self.init(status: status, accuracy: accuracy)
  }
}

extension OneFixClient.Indicator {
  init?(json: String) {
    guard let state = Members(json)?.state else { return nil }
    self.init(rawValue: state)
  }
}

extension OneFixClient.Receiver {
  init?(json: String) {
    guard let state = Members(json)?.state else { return nil }
    self.init(rawValue: state)
  }
}

extension OneFixClient.PressNews {
  init?(json: String) {
    guard let members = Members(json), let isAuthorized = members.authorized else { return nil }
    self = isAuthorized ? .authorized : .unauthorized(members.reason ?? "unknown")
  }
}

extension OneFixClient.RegionEvent {
  init?(topic: String, json: String) {
    guard topic.hasPrefix("region/"), let kind = Members(json)?.event.flatMap({ Kind(rawValue: $0) }) else {
      return nil
    }
    self.init(region: String(topic.dropFirst("region/".count)), kind: kind)
  }
}

extension Region {
  /// Parses a region in the JSON format of the gateway's list.
  init?(json: String) {
    guard let members = Members(json), let id = members.id, let radius = members.radius,
      let latitude = members.lat, let longitude = members.lon,
      let centre = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    var events: Events = []
    for word in (members.events ?? "").split(separator: ",") {
      if word == "enter" { events.insert(.enter) }
      if word == "exit" { events.insert(.exit) }
    }
    guard let region = try? Region(id: id, centre: centre, radius: radius, events: events, text: members.text ?? "")
    else { return nil }
    self = region
  }
}
