import Base
import GNSS

// A later version of the gateway may send unknown values. The initializers then return nil, and the client discards the
// message.

extension OneFixClient.Authorization {
  init?(json: String) {
    let members = JSONValue(json.utf8)
    self.init(status: members?["status"]?.string, accuracy: members?["accuracy"]?.string)
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
    guard let state = JSONValue(json.utf8)?["state"]?.string else { return nil }
    self.init(rawValue: state)
  }
}

extension OneFixClient.Receiver {
  init?(json: String) {
    guard let state = JSONValue(json.utf8)?["state"]?.string else { return nil }
    self.init(rawValue: state)
  }
}

extension OneFixClient.PressNotification {
  init?(json: String) {
    guard let members = JSONValue(json.utf8), let isAuthorized = members["authorized"]?.bool else { return nil }
    self = isAuthorized ? .authorized : .unauthorized(members["reason"]?.string ?? "unknown")
  }
}

extension OneFixClient.RegionEvent {
  init?(topic: String, json: String) {
    guard topic.hasPrefix("region/"), let event = JSONValue(json.utf8)?["event"]?.string,
      let kind = Kind(rawValue: event)
    else { return nil }
    self.init(region: String(topic.dropFirst("region/".count)), kind: kind)
  }
}

extension Region {
  /// Creates a region (a circle on the ground) from its JSON object. Returns nil if a value is missing or invalid.
  init?(json: String) {
    guard let members = JSONValue(json.utf8), let id = members["id"]?.string,
      let radius = members["radius"]?.number, let latitude = members["lat"]?.number,
      let longitude = members["lon"]?.number,
      let centre = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    var events: Events = []
    for word in (members["events"]?.string ?? "").split(separator: ",") {
      if word == "enter" { events.insert(.enter) }
      if word == "exit" { events.insert(.exit) }
    }
    guard
      let region = try? Region(
        id: id, centre: centre, radius: radius, events: events, text: members["text"]?.string ?? "")
    else { return nil }
    self = region
  }
}
