import LineProtocol

/// Where Home Assistant says that it has started. (MQTT integration, "Birth and last will messages")
package let birthTopic = "homeassistant/status"

/// What it says there: then discovery is published again.
package let birthPayload = "online"

/// What Home Assistant is told of one app of a gateway, so that it shows a device for it. (MQTT integration, "Device
/// discovery payload": Home Assistant 2024.12 and newer)
///
/// Only this is retained, and nothing in it tells where anybody is.
package struct Discovery: Hashable, Sendable {
  /// 1...32 lower-case letters, digits and `-`.
  private let gateway: String
  /// As in `home-assistant`: a-z 0-9 . - _
  private let app: String
  private let appName: String
  private var isFullAccuracy: Bool
  private let version: String
  private let baseTopic: String

  /// - Parameters:
  ///   - isFullAccuracy: whether the app is told of satellites, with its fixes.
  ///   - version: of the gateway.
  ///   - baseTopic: `onefix/<gateway>/<app>`.
  package init(
    gateway: String, app: String, appName: String, isFullAccuracy: Bool, version: String, baseTopic: String
  ) {
    self.gateway = gateway
    self.app = app
    self.appName = appName
    self.isFullAccuracy = isFullAccuracy
    self.version = version
    self.baseTopic = baseTopic
  }

  /// The messages to publish, in this order.
  ///
  /// Home Assistant removes an entity only if it has added it since its own start. The entity of satellites may be older,
  /// from a time when the app had full accuracy. So a description with that entity comes first, which is not retained, and
  /// the description without it removes it.
  package var messages: [(topic: String, payload: String, isRetained: Bool)] {
    let retained = (topic, payload, true)
    guard !isFullAccuracy else { return [retained] }
    var full = self
    full.isFullAccuracy = true
    return [(topic, full.payload, false), retained]
  }

  /// What is published empty, and retained, once the app is gone.
  package var removal: [String] { [topic] }

  private var topic: String { "homeassistant/device/\(identifier)/config" }

  /// Home Assistant takes letters, digits, `_` and `-` in a topic: what else an app id may have is written with these,
  /// so that two apps never have the same. A gateway's name has no `_`.
  private var identifier: String {
    let name = app.map { $0 == "_" ? "__" : $0 == "." ? "_d" : String($0) }.joined()
    return "onefix_\(gateway)_\(name)"
  }

  private var payload: String {
    var object = JSONObject()
    object.add("device", json: device.text)
    object.add("origin", json: origin.text)
    object.add("availability", json: "[\(availability.text)]")
    var components = JSONObject()
    for (key, component) in self.components { components.add(key, json: component.text) }
    object.add("components", json: components.text)
    return object.text
  }

  private var device: JSONObject {
    var device = JSONObject()
    device.add("identifiers", json: "[\"\(identifier)\"]")
    device.add("name", "\(appName) (\(gateway))")
    device.add("manufacturer", "OneFix")
    device.add("model", "Location gateway")
    device.add("sw_version", version)
    return device
  }

  private var origin: JSONObject {
    var origin = JSONObject()
    origin.add("name", "onefix")
    origin.add("sw_version", version)
    return origin
  }

  /// The last will's topic is the gateway's, whichever app it is.
  private var availability: JSONObject {
    var availability = JSONObject()
    availability.add("topic", "onefix/\(gateway)/status")
    availability.add("payload_available", "online")
    availability.add("payload_not_available", "offline")
    return availability
  }

  /// Satellites come first: of a message that follows another closely, Home Assistant reads no more than the first
  /// component that it is still adding.
  private var components: [(String, JSONObject)] {
    [
      ("satellites", satellites), ("press", press), ("error", failedRequest), ("in_use", inUse), ("locked", locked),
      ("tracker", tracker), ("receiver", receiver), ("last_disclosure", lastDisclosure), ("measured", measured),
      ("request", request),
    ]
  }

  private func component(_ platform: String, _ key: String, name: String) -> JSONObject {
    var component = JSONObject()
    component.add("platform", platform)
    component.add("unique_id", "\(identifier)_\(key)")
    component.add("name", name)
    component.add("qos", 1)
    return component
  }

  /// A component that tells of the past: it stays as it is while the gateway is offline.
  private func record(_ platform: String, _ key: String, name: String) -> JSONObject {
    var record = component(platform, key, name: name)
    record.add("availability", json: "[]")
    return record
  }

  /// The button at the gateway: `authorized` and `reason` are the event's attributes.
  private var press: JSONObject {
    var event = record("event", "press", name: "Press")
    event.add("device_class", "button")
    event.add("event_types", json: "[\"press\"]")
    event.add("state_topic", "\(baseTopic)/press")
    event.add("value_template", "{{ dict(value_json, event_type='press') | to_json }}")
    return event
  }

  /// A request that ended without a location: `text`, and `retry_after` where there is one, are the event's attributes.
  private var failedRequest: JSONObject {
    var event = record("event", "error", name: "Failed request")
    let slugs = ErrorCode.allCases.filter { !$0.closes }.map { "\"\($0.slug)\"" }
    event.add("icon", "mdi:map-marker-alert")
    event.add("event_types", json: "[\(slugs.joined(separator: ","))]")
    event.add("state_topic", "\(baseTopic)/error")
    event.add("value_template", "{{ dict(value_json, event_type=value_json.slug) | to_json }}")
    return event
  }

  private var inUse: JSONObject {
    var sensor = component("binary_sensor", "in_use", name: "Location in use")
    sensor.add("icon", "mdi:crosshairs-gps")
    sensor.add("state_topic", "\(baseTopic)/indicator")
    sensor.add("value_template", "{{ 'ON' if value_json.state in ('in-use', 'background') else 'OFF' }}")
    return sensor
  }

  /// The kill switch: while it is on, the gateway gives nobody a location.
  private var locked: JSONObject {
    var sensor = component("binary_sensor", "locked", name: "Kill switch")
    sensor.add("icon", "mdi:lock")
    sensor.add("state_topic", "\(baseTopic)/indicator")
    sensor.add("value_template", "{{ 'ON' if value_json.state == 'locked' else 'OFF' }}")
    return sensor
  }

  /// It shows the last fix; an approximate one is the centre of a circle that is as wide as its `gps_accuracy` says.
  private var tracker: JSONObject {
    var tracker = record("device_tracker", "tracker", name: "Last disclosed location")
    tracker.add("source_type", "gps")
    tracker.add("json_attributes_topic", "\(baseTopic)/fix")
    tracker.add(
      "json_attributes_template",
      "{{ {'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.hacc, "
        + "'accuracy': value_json.accuracy} | to_json }}")
    return tracker
  }

  private var receiver: JSONObject {
    var sensor = component("sensor", "receiver", name: "Receiver")
    sensor.add("device_class", "enum")
    sensor.add("options", json: "[\"absent\",\"present\"]")
    sensor.add("entity_category", "diagnostic")
    sensor.add("icon", "mdi:satellite-uplink")
    sensor.add("state_topic", "\(baseTopic)/receiver")
    sensor.add("value_template", "{{ value_json.state }}")
    return sensor
  }

  /// When Home Assistant received the last fix: an approximate fix itself tells no more than its quarter hour.
  private var lastDisclosure: JSONObject {
    var sensor = record("sensor", "last_disclosure", name: "Last disclosure")
    sensor.add("device_class", "timestamp")
    sensor.add("state_topic", "\(baseTopic)/fix")
    sensor.add("value_template", "{{ now().isoformat() }}")
    return sensor
  }

  /// The time that the last fix has: of an approximate fix the quarter hour. Unknown from a receiver without dates.
  private var measured: JSONObject {
    var sensor = record("sensor", "measured", name: "Time of the last fix")
    sensor.add("device_class", "timestamp")
    sensor.add("state_topic", "\(baseTopic)/fix")
    sensor.add("value_template", "{{ value_json.time | default('None') }}")
    return sensor
  }

  /// With nothing but its platform a component is removed: the app may have had full accuracy before.
  private var satellites: JSONObject {
    guard isFullAccuracy else {
      var removed = JSONObject()
      removed.add("platform", "sensor")
      return removed
    }
    var sensor = record("sensor", "satellites", name: "Satellites in the last fix")
    sensor.add("state_class", "measurement")
    sensor.add("entity_category", "diagnostic")
    sensor.add("icon", "mdi:satellite-variant")
    sensor.add("state_topic", "\(baseTopic)/fix")
    sensor.add("value_template", "{{ value_json.sats | default('None') }}")
    return sensor
  }

  /// It asks: what is served is decided by the button at the gateway, which nobody can press from here.
  private var request: JSONObject {
    var button = component("button", "request", name: "Ask for a location")
    button.add("icon", "mdi:map-marker-question")
    button.add("command_topic", "\(baseTopic)/request")
    button.add("payload_press", "{}")
    // A request that is kept would be asked again at every connection; the gateway ignores such.
    button.add("retain", false)
    return button
  }
}
