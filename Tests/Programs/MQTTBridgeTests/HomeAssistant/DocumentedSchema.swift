import Base
import Testing

/// The rules of Home Assistant's documentation for a configuration: "MQTT" (Device discovery payload, Discovery topic),
/// and "MQTT event", "MQTT binary sensor", "MQTT device tracker", "MQTT sensor" and "MQTT button" (Configuration
/// variables).
struct DocumentedSchema {
  enum Kind {
    case text
    case template
    /// A topic without wildcards.
    case topic
    case truth
    case quality
    case texts
    case choice(Set<String>)
    /// An empty list: the entity is always available.
    case none
  }

  var required: Set<String>
  var members: [String: Kind]

  /// Keys that every entity may have.
  private static let entity: [String: Kind] = [
    "platform": .text, "unique_id": .text, "name": .text, "icon": .text, "qos": .quality,
    "entity_category": .choice(["config", "diagnostic"]), "availability": .none,
    "json_attributes_topic": .topic, "json_attributes_template": .template,
  ]

  private init(_ required: Set<String>, _ members: [String: Kind]) {
    self.required = required.union(["platform", "unique_id"])
    self.members = Self.entity.merging(members) { $1 }
  }

  static let platforms: [String: DocumentedSchema] = [
    "event": DocumentedSchema(
      ["state_topic", "event_types"],
      [
        "state_topic": .topic, "event_types": .texts, "value_template": .template,
        "device_class": .choice(["button", "doorbell", "motion"]),
      ]),
    "binary_sensor": DocumentedSchema(
      ["state_topic"],
      [
        "state_topic": .topic, "value_template": .template, "payload_on": .text, "payload_off": .text,
        "device_class": .text,
      ]),
    // A state topic can only be left out with a topic of attributes.
    "device_tracker": DocumentedSchema(
      ["json_attributes_topic"],
      [
        "state_topic": .topic, "value_template": .template, "payload_home": .text, "payload_not_home": .text,
        "payload_reset": .text,
        "source_type": .choice(["gps", "router", "bluetooth", "bluetooth_le"]),
      ]),
    "sensor": DocumentedSchema(
      ["state_topic"],
      [
        "state_topic": .topic, "value_template": .template, "device_class": .choice(["enum", "timestamp"]),
        "state_class": .choice(["measurement", "total", "total_increasing"]), "options": .texts,
      ]),
    "button": DocumentedSchema(
      ["command_topic"],
      ["command_topic": .topic, "command_template": .template, "payload_press": .text, "retain": .truth]),
  ]

  func check(_ component: [String: JSONValue], _ name: String) {
    #expect(required.isSubset(of: component.keys), "\(name)")
    for (key, value) in component {
      guard let kind = members[key] else {
        Issue.record("\(name) has the key \(key), which is not documented")
        continue
      }
      #expect(Self.isGood(value, kind), "\(key) of \(name): \(value)")
    }
    // "MQTT sensor": options belong to the device class enum, which has no state class.
    let isEnum = component["device_class"]?.string == "enum"
    #expect(component["platform"]?.string != "sensor" || (component["options"] != nil) == isEnum)
    #expect(!isEnum || component["state_class"] == nil)
  }

  private static func isGood(_ value: JSONValue, _ kind: Kind) -> Bool {
    switch kind {
    case .text: value.string?.isEmpty == false
    case .template: value.string.map(isTemplate) ?? false
    case .topic: value.string.map(isTopic) ?? false
    case .truth: value.bool != nil
    case .quality: value.integer(in: 0...2) != nil
    case .texts: value.array.map { !$0.isEmpty && $0.allSatisfy { $0.string?.isEmpty == false } } ?? false
    case .none: value.array?.isEmpty == true
    case .choice(let words): value.string.map(words.contains) ?? false
    }
  }

  private static func isTopic(_ text: String) -> Bool {
    !text.isEmpty && !text.contains("+") && !text.contains("#") && text.utf8.count < 65_536
  }

  /// Whether the brackets and quotes of a text are those of a Jinja template.
  private static func isTemplate(_ text: String) -> Bool {
    guard text.hasPrefix("{{ "), text.hasSuffix(" }}") else { return false }
    let inner = text.dropFirst(3).dropLast(3)
    guard inner.count(where: { $0 == "'" }) % 2 == 0 else { return false }
    var open: [Character] = []
    let pairs: [Character: Character] = [")": "(", "}": "{", "]": "["]
    for character in inner {
      if "({[".contains(character) { open.append(character) }
      if let meant = pairs[character], open.popLast() != meant { return false }
    }
    return open.isEmpty
  }
}
