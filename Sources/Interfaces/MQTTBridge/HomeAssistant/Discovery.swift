import LineProtocol

/// The topic on which Home Assistant reports its start. (Home Assistant's MQTT integration, "Birth and last will
/// messages")
package let birthTopic = "homeassistant/status"

/// The payload with which Home Assistant reports its start. When the gateway receives this payload, it publishes the
/// discovery messages again.
package let birthPayload = "online"

/// The description of one app of a gateway for Home Assistant. Home Assistant 2024.12 and newer reads it and shows a
/// device for the app. (Home Assistant's MQTT integration, "Device discovery payload")
///
/// The broker retains the description. The description contains no position.
package struct Discovery: Hashable, Sendable {
  /// The gateway's name: 1...32 lower-case letters, digits and `-`.
  private let gateway: String
  /// The app id, as in `home-assistant`: a-z 0-9 . - _
  private let app: String
  private let appName: String
  private var isFullAccuracy: Bool
  private let version: String
  private let baseTopic: String

  /// - Parameters:
  ///   - isFullAccuracy: Whether the app has full accuracy. The number of satellites is part of a fix only if the app
  ///     has full accuracy.
  ///   - version: The gateway's version.
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
  /// If the app had full accuracy before, Home Assistant may have an entity for the number of satellites. With reduced
  /// accuracy, Home Assistant must remove this entity. However, Home Assistant removes an entity only if it added the
  /// entity after its own start. The first message, which is not retained, therefore adds the entity, and the second
  /// message removes it.
  package var messages: [(topic: String, payload: String, isRetained: Bool)] {
    let retained = (topic, payload, true)
    guard !isFullAccuracy else { return [retained] }
    var full = self
    full.isFullAccuracy = true
    return [(topic, full.payload, false), retained]
  }

  /// The topics to which the gateway publishes an empty retained message when the app is removed.
  package var removal: [String] { [topic] }

  private var topic: String { "homeassistant/device/\(identifier)/config" }

  /// The app's identifier in topics and ids. Home Assistant accepts only letters, digits, `_` and `-` in a topic, so
  /// `.` in an app id becomes `_d` and `_` becomes `__`. Different apps therefore have different identifiers, because a
  /// gateway's name contains no `_`.
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

  /// The availability of the app's entities, which follows the gateway's status message. All apps share the topic of
  /// this message.
  private var availability: JSONObject {
    var availability = JSONObject()
    availability.add("topic", "onefix/\(gateway)/status")
    availability.add("payload_available", "online")
    availability.add("payload_not_available", "offline")
    return availability
  }

  /// The components of the device. The component of the satellites comes first. Reason: if the second message arrives
  /// while Home Assistant still adds the components of the first message, Home Assistant removes a component correctly
  /// only if it is the first one.
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

  /// Returns a component whose value describes an event in the past. The value stays available while the gateway is
  /// offline.
  private func record(_ platform: String, _ key: String, name: String) -> JSONObject {
    var record = component(platform, key, name: name)
    record.add("availability", json: "[]")
    return record
  }

  /// The component for a press at the gateway. The event has the attributes `authorized` and `reason`.
  private var press: JSONObject {
    var event = record("event", "press", name: "Press")
    event.add("device_class", "button")
    event.add("event_types", json: "[\"press\"]")
    event.add("state_topic", "\(baseTopic)/press")
    event.add("value_template", "{{ dict(value_json, event_type='press') | to_json }}")
    return event
  }

  /// The component for a request that ended without a location. The event's attributes are `text` and the optional
  /// `retry_after`.
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

  /// The component for the kill switch. While the kill switch is on, the gateway discloses no location.
  private var locked: JSONObject {
    var sensor = component("binary_sensor", "locked", name: "Kill switch")
    sensor.add("icon", "mdi:lock")
    sensor.add("state_topic", "\(baseTopic)/indicator")
    sensor.add("value_template", "{{ 'ON' if value_json.state == 'locked' else 'OFF' }}")
    return sensor
  }

  /// The component that shows the last fix. An approximate fix is the centre of a circle with the radius
  /// `gps_accuracy`.
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

  /// The component for the time at which Home Assistant received the last fix. Home Assistant records this time itself,
  /// because a fix with reduced accuracy contains only the quarter hour of its measurement.
  private var lastDisclosure: JSONObject {
    var sensor = record("sensor", "last_disclosure", name: "Last disclosure")
    sensor.add("device_class", "timestamp")
    sensor.add("state_topic", "\(baseTopic)/fix")
    sensor.add("value_template", "{{ now().isoformat() }}")
    return sensor
  }

  /// The component for the time of the last fix. For a fix with reduced accuracy, this time is the beginning of a
  /// quarter hour. The value is unknown if the receiver reports no dates.
  private var measured: JSONObject {
    var sensor = record("sensor", "measured", name: "Time of the last fix")
    sensor.add("device_class", "timestamp")
    sensor.add("state_topic", "\(baseTopic)/fix")
    sensor.add("value_template", "{{ value_json.time | default('None') }}")
    return sensor
  }

  /// The component for the number of satellites. With reduced accuracy the component contains only its platform, which
  /// makes Home Assistant remove it.
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

  /// The component that sends a request. The button at the gateway decides about the request, and Home Assistant cannot
  /// press that button.
  private var request: JSONObject {
    var button = component("button", "request", name: "Ask for a location")
    button.add("icon", "mdi:map-marker-question")
    button.add("command_topic", "\(baseTopic)/request")
    button.add("payload_press", "{}")
    // The broker would deliver a retained request again at every connection, and the gateway ignores retained requests.
    button.add("retain", false)
    return button
  }
}
