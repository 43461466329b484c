/// What of a configuration holds from the start of the daemon to its end: every key but those that may be changed while it
/// runs. Without places, so that a line that was moved is no change.
package struct FixedSettings: Hashable, Sendable {
  /// Keys that hold as soon as they are read again.
  static let reloaded: Set<String> = [
    "app", "arm_timeout_s", "default_accuracy", "language", "log", "log_retention_days", "press_serves",
    "prompt_display",
  ]
  /// The same, within the tables of a name.
  static let reloadedWithin: [String: Set<String>] = [
    "button": ["apps", "double_press_ms"], "mqtt": ["home_assistant"],
  ]

  /// What each key says, as text that differs where the meaning does.
  private var values: [String: String] = [:]

  init() {}

  init(_ root: TOMLTable) {
    for entry in root.entries where !Self.reloaded.contains(entry.key) {
      let text = entry.value.text(without: Self.reloadedWithin[entry.key] ?? [])
      if !text.isEmpty { values[entry.key] = text }
    }
  }

  /// The keys in which another differs, in the order of their names.
  package func differences(from other: FixedSettings) -> [String] {
    Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }.sorted()
  }
}

extension TOMLNode {
  /// - Parameter keys: of tables in this node, left out.
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
