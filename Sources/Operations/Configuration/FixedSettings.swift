/// The settings whose changes take effect only after a restart of the daemon. Line numbers are not included, so that a
/// moved key does not count as a change.
package struct FixedSettings: Hashable, Sendable {
  /// The keys of the root table whose changes take effect when the daemon reloads the configuration, without a restart.
  static let reloaded: Set<String> = [
    "app", "arm_timeout_s", "default_accuracy", "language", "log", "log_retention_days", "press_serves",
    "prompt_display",
  ]
  /// The keys inside tables whose changes take effect without a restart. The dictionary's key is the name of the table.
  /// Tables of features (optional interfaces) are not included.
  static let reloadedWithin: [String: Set<String>] = ["button": ["apps", "double_press_ms"]]

  /// The values of the settings as texts, by the name of the key. Two texts are equal only if the values are equal.
  private var values: [String: String] = [:]

  init() {}

  /// Creates the value from the root table of a configuration file.
  /// - Parameter features: The features (optional interfaces of the gateway) whose tables the file can have.
  init(_ root: TOMLTable, _ features: [any ConfiguredFeature.Type]) {
    for entry in root.entries where !Self.reloaded.contains(entry.key) {
      let feature = features.first { $0.table == entry.key }
      let text = entry.value.text(without: Self.reloadedWithin[entry.key] ?? feature?.reloadedKeys ?? [])
      // An empty list of tables sets nothing, like a missing one.
      values[entry.key] = text == "[]" ? nil : text
    }
  }

  /// Returns the names of the keys whose values differ between two configurations, in alphabetical order.
  package func differences(from other: FixedSettings) -> [String] {
    Set(values.keys).union(other.values.keys).filter { values[$0] != other.values[$0] }.sorted()
  }
}

extension TOMLNode {
  /// Returns a text for the comparison of two values. Equal values have equal texts.
  /// - Parameter keys: The keys of a table that are left out.
  fileprivate func text(without keys: Set<String>) -> String {
    switch content {
    case .table(let entries):
      let texts = entries.filter { !keys.contains($0.key) }
        .map { "\($0.key.debugDescription)=\($0.value.text(without: []))" }
      return "{\(texts.sorted().joined(separator: ","))}"
    case .array(let nodes):
      let texts = nodes.filter { !$0.hasOnly(keys) }.map { $0.text(without: keys) }
      return "[\(texts.joined(separator: ","))]"
    case .string(let text): return text.debugDescription
    case .integer(let number): return "\(number)"
    case .float(let number): return "\(number)"
    case .boolean(let value): return "\(value)"
    case .moment: return "moment"
    }
  }

  /// Whether the value is a table that sets nothing except some of the keys for the part that its key `name` names.
  private func hasOnly(_ keys: Set<String>) -> Bool {
    guard !keys.isEmpty, case .table(let entries) = content else { return false }
    return entries.allSatisfy { $0.key == "name" || keys.contains($0.key) }
  }
}
