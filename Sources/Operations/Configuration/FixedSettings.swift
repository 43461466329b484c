/// The settings that take effect only at the next start: every key except the reloadable ones. Locations are not part
/// of it, so that moving a line is not a change.
package struct FixedSettings: Hashable, Sendable {
  /// The keys that take effect on reload.
  static let reloaded: Set<String> = [
    "app", "arm_timeout_s", "default_accuracy", "language", "log", "log_retention_days", "press_serves",
    "prompt_display",
  ]
  /// The keys within tables that take effect on reload.
  static let reloadedWithin: [String: Set<String>] = [
    "button": ["apps", "double_press_ms"], "mqtt": ["home_assistant"],
  ]

  /// A text for the value of each key. Different values have different texts.
  private var values: [String: String] = [:]

  init() {}

  init(_ root: TOMLTable) {
    for entry in root.entries where !Self.reloaded.contains(entry.key) {
      let text = entry.value.text(without: Self.reloadedWithin[entry.key] ?? [])
      if !text.isEmpty { values[entry.key] = text }
    }
  }

  /// Returns the keys with different values, sorted by name.
  package func differences(from other: FixedSettings) -> [String] {
    Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }.sorted()
  }
}

extension TOMLNode {
  /// Returns a text for the value.
  /// - Parameter keys: the keys of direct subtables to omit.
  fileprivate func text(without keys: Set<String>) -> String {
    switch content {
    case .table(let entries):
      let texts = entries.filter { !keys.contains($0.key) }
        .map { "\($0.key.debugDescription)=\($0.value.text(without: []))" }
      return "{\(texts.sorted().joined(separator: ","))}"
    case .array(let nodes): return "[\(nodes.map { $0.text(without: keys) }.joined(separator: ","))]"
    case .string(let text): return text.debugDescription
    case .integer(let number): return "\(number)"
    case .float(let number): return "\(number)"
    case .boolean(let value): return "\(value)"
    case .moment: return "moment"
    }
  }
}
