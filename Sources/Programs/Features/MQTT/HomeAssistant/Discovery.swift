package import LineProtocol

/// The MQTT topic on which Home Assistant reports its start. (Home Assistant's MQTT integration, "Birth and last will
/// messages")
package let birthTopic = "homeassistant/status"

/// The payload with which Home Assistant reports its start. The gateway then describes its devices again.
package let birthPayload = "online"

/// The MQTT messages from which Home Assistant 2024.12 or newer creates a device for one app of the gateway. The
/// messages contain no position. (Home Assistant's MQTT integration, "Device discovery payload")
package struct Discovery: Hashable, Sendable {
  private let topics: BridgeTopics
  private let appName: String
  /// The accuracy of the app's fixes, which decides about the entities of the device. Only fixes with full accuracy
  /// have a count of satellites.
  private var accuracy: FixAccuracy

  /// Creates the messages for one app.
  /// - Parameters:
  ///   - appName: The name of the app in texts for users.
  ///   - accuracy: The accuracy of the app's fixes.
  package init(_ topics: BridgeTopics, appName: String, accuracy: FixAccuracy) {
    self.topics = topics
    self.appName = appName
    self.accuracy = accuracy
  }

  /// The messages in the order in which the gateway must publish them.
  ///
  /// Without full accuracy, Home Assistant must remove the entity for the count of satellites. Home Assistant can
  /// remove only an entity that was added after its own start. The first message therefore adds the entity, and the
  /// second message removes the entity.
  ///
  /// For an app that receives positions, the last message removes the name of a place, which Home Assistant would show
  /// instead of the position.
  package var messages: [(topic: String, payload: String, isRetained: Bool)] {
    let retained = (topic, payload, true)
    let positions = (topics.place, Self.noPlace, false)
    if accuracy == .full { return [retained, positions] }
    var full = self
    full.accuracy = .full
    return [(topic, full.payload, false), retained] + (accuracy == .place ? [] : [positions])
  }

  /// The payload that deletes the name of a place, so that Home Assistant shows the position again. No place can have
  /// this name, because names of places contain no spaces.
  private static let noPlace = "no place"

  /// The MQTT topic for the description of the device. An empty retained message on this topic removes the device from
  /// Home Assistant.
  package var topic: String { "homeassistant/device/\(identifier)/config" }

  /// The identifier of the device in topics and in the ids of entities.
  ///
  /// Home Assistant accepts only letters, digits, `_` and `-` in a topic. In an app id, `.` therefore becomes `_d`, and
  /// `_` becomes `__`. A gateway's name contains no `_`, so identifiers are unique.
  private var identifier: String {
    let name = topics.app.map { $0 == "_" ? "__" : $0 == "." ? "_d" : String($0) }.joined()
    return "onefix_\(topics.gateway)_\(name)"
  }

  private var payload: String {
    JSONObject.text([
      "device": [
        "identifiers": [identifier], "name": "\(appName) (\(topics.gateway))", "manufacturer": "OneFix",
        "model": "Location gateway", "sw_version": Release.version,
      ] as JSONObject,
      "origin": ["name": "onefix", "sw_version": Release.version] as JSONObject,
      // The topic of the gateway's will. All apps of the gateway have the same will.
      "availability": [
        [
          "topic": topics.status, "payload_available": "online", "payload_not_available": "offline",
        ] as JSONObject
      ],
      "components": components,
    ])
  }

  /// The entities of the device. The key is the entity's name in ids.
  ///
  /// The entity `satellites` comes first. Home Assistant removes an entity correctly only in the first position,
  /// because the removal may arrive before Home Assistant has added all entities.
  private var components: JSONObject {
    [
      "satellites": satellites, "press": press, "error": failedRequest, "in_use": inUse, "locked": locked,
      "tracker": tracker, "place": place, "receiver": receiver, "last_disclosure": lastDisclosure, "measured": measured,
      "request": request,
    ]
  }

  private func component(_ platform: String, _ key: String, name: String, _ members: JSONObject) -> JSONObject {
    ["platform": platform, "unique_id": "\(identifier)_\(key)", "name": name, "qos": 1] + members
  }

  /// Returns the description of an entity about a past event. Home Assistant shows the last value of the entity even
  /// while the gateway is offline.
  private func record(_ platform: String, _ key: String, name: String, _ members: JSONObject) -> JSONObject {
    component(platform, key, name: name, ["availability": [JSONObject]()] + members)
  }

  /// The description of the entity for presses of the gateway's button. Its event has the attributes `authorized` and
  /// `reason`.
  private var press: JSONObject {
    record(
      "event", "press", name: "Press",
      [
        "device_class": "button", "event_types": ["press"], "state_topic": "\(topics.base)/press",
        "value_template": "{{ dict(value_json, event_type='press') | to_json }}",
      ])
  }

  /// The description of the entity for requests that gave no location. Its event has the attribute `text`, and
  /// sometimes `retry_after`.
  private var failedRequest: JSONObject {
    record(
      "event", "error", name: "Failed request",
      [
        "icon": "mdi:map-marker-alert", "event_types": ErrorCode.allCases.filter { !$0.closes }.map(\.slug),
        "state_topic": "\(topics.base)/error",
        "value_template": "{{ dict(value_json, event_type=value_json.slug) | to_json }}",
      ])
  }

  private var inUse: JSONObject {
    component(
      "binary_sensor", "in_use", name: "Location in use",
      [
        "icon": "mdi:crosshairs-gps", "state_topic": "\(topics.base)/indicator",
        "value_template": "{{ 'ON' if value_json.state in ('in-use', 'background') else 'OFF' }}",
      ])
  }

  private var locked: JSONObject {
    component(
      "binary_sensor", "locked", name: "Kill switch",
      [
        "icon": "mdi:lock", "state_topic": "\(topics.base)/indicator",
        "value_template": "{{ 'ON' if value_json.state == 'locked' else 'OFF' }}",
      ])
  }

  /// The description of the entity for the position of the last fix. An approximate position is the centre of a circle
  /// with the radius `gps_accuracy`.
  ///
  /// The state of the entity is the name of a place. Older versions of Home Assistant read this name from a separate
  /// topic, because such a version uses the whole payload as the name. Newer versions read the zones in the attribute
  /// `in_zones`, so the description contains both.
  private var tracker: JSONObject {
    record(
      "device_tracker", "tracker", name: "Last disclosed location",
      [
        "source_type": "gps", "state_topic": topics.place, "payload_not_home": NamedPlace.away,
        "payload_reset": Self.noPlace,
        "json_attributes_topic": topics.fix,
        "json_attributes_template":
          "{{ ({'latitude': value_json.lat, 'longitude': value_json.lon, 'gps_accuracy': value_json.hacc, "
          + "'accuracy': value_json.accuracy} if value_json.lat is defined "
          + "else {'accuracy': value_json.accuracy, 'in_zones': \(Self.zones)}) | to_json }}",
      ])
  }

  /// A Home Assistant template for the list of zones in which the device is. The list has the zone whose entity id
  /// comes from the name of the place, and is empty if there is no such zone.
  private static let zones =
    "['zone.' ~ (value_json.place | slugify)] | reject('eq', 'zone.\(NamedPlace.away)') | select('has_value') | list"

  /// The description of the entity for the name of a place in the last fix. The entity's state is unknown if the fix
  /// has a position instead.
  private var place: JSONObject {
    record(
      "sensor", "place", name: "Place",
      [
        "icon": "mdi:map-marker", "state_topic": topics.fix,
        "value_template": "{{ value_json.place | default('None') }}",
      ])
  }

  private var receiver: JSONObject {
    component(
      "sensor", "receiver", name: "Receiver",
      [
        "device_class": "enum", "options": ["absent", "present"], "entity_category": "diagnostic",
        "icon": "mdi:satellite-uplink", "state_topic": "\(topics.base)/receiver",
        "value_template": "{{ value_json.state }}",
      ])
  }

  /// The description of the entity for the time at which the app last received a fix. Home Assistant takes this time
  /// from its own clock, because the time in an approximate fix is rounded down to a quarter of an hour.
  private var lastDisclosure: JSONObject {
    record(
      "sensor", "last_disclosure", name: "Last disclosure",
      [
        "device_class": "timestamp", "state_topic": topics.fix, "value_template": "{{ now().isoformat() }}",
      ])
  }

  /// The description of the entity for the time of the last fix. With reduced accuracy, the time is the beginning of a
  /// quarter of an hour. The state is unknown if the receiver reports no dates.
  private var measured: JSONObject {
    record(
      "sensor", "measured", name: "Time of the last fix",
      [
        "device_class": "timestamp", "state_topic": topics.fix,
        "value_template": "{{ value_json.time | default('None') }}",
      ])
  }

  /// The description of the entity for the count of satellites. Without full accuracy, the description has only the
  /// member `platform`, so that Home Assistant removes the entity.
  private var satellites: JSONObject {
    guard accuracy == .full else { return ["platform": "sensor"] }
    return record(
      "sensor", "satellites", name: "Satellites in the last fix",
      [
        "state_class": "measurement", "entity_category": "diagnostic", "icon": "mdi:satellite-variant",
        "state_topic": topics.fix, "value_template": "{{ value_json.sats | default('None') }}",
      ])
  }

  /// The description of the entity for a request: a button in Home Assistant that asks for a location. The request
  /// still needs a press of the gateway's own button.
  private var request: JSONObject {
    component(
      "button", "request", name: "Ask for a location",
      [
        "icon": "mdi:map-marker-question", "command_topic": "\(topics.base)/request", "payload_press": "{}",
        // The broker would repeat a retained request at every connection, and the gateway ignores retained requests.
        "retain": false,
      ])
  }
}
