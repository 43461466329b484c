import Languages

/// Where something stands in the configuration.
package struct Place: Hashable, Sendable, CustomStringConvertible {
  /// A file, or the option of the command line that says it.
  package var file: String
  /// Counts from 1; nil where it is about the file as a whole.
  package var line: Int?

  package init(file: String, line: Int? = nil) {
    self.file = file
    self.line = line
  }

  /// As in `board.toml:12`.
  package var description: String { file + (line.map { ":\($0)" } ?? "") }
}

/// A part of the configuration that a machine may not be fit for.
package enum ConfigurationKey: Hashable, Sendable {
  case receiver
  case receiverPower
  /// A `[[button]]` by its name: its `line`, unless another key is named.
  case button(String, key: String = "line")
  /// What lights the indicator, unless another key is named.
  case indicator(key: String = "line")
  case sense
}

extension Board {
  /// Where a key stands: in `onefix.toml` where it says it, else in the board's own file. Where neither says it, the
  /// table that it belongs to, or the board's file.
  package func place(of key: ConfigurationKey) -> Place {
    if let place = places[key] { return place }
    let table: ConfigurationKey? =
      switch key {
      case .button(let name, _): .button(name, key: "")
      case .indicator, .sense: .indicator(key: "")
      case .receiverPower: .receiver
      case .receiver: nil
      }
    return table.flatMap { places[$0] } ?? Place(file: file)
  }

  /// The place of the first of several keys that the owner's file sets; if it sets none, the place of the first key that
  /// the board's file sets. A fault that several keys cause together is repaired in the owner's file.
  package func place(ofAny keys: [ConfigurationKey]) -> Place {
    let known = keys.compactMap { places[$0] }
    return known.first { $0.file != file } ?? known.first ?? keys.first.map(place(of:)) ?? Place(file: file)
  }

  /// Notes where settings stand; what they do not say stays where it was.
  mutating func notePlaces(of buttons: [ButtonSettings], _ indicator: IndicatorSettings?, in file: String) {
    for button in buttons {
      // A label that is said anew has none of the languages that the label before it had.
      if button.lines["label"] != nil {
        for language in Language.allCases { places[.button(button.name, key: "label.\(language.rawValue)")] = nil }
      }
      for (key, line) in button.lines { note(.button(button.name, key: key), file, line) }
      note(.button(button.name, key: ""), file, button.line)
    }
    guard let indicator else { return }
    for (key, line) in indicator.lines {
      switch key {
      case "sense": note(.sense, file, line)
      // An LED is on a line, is one of the kernel's, or is three of them.
      case "led", "red": note(.indicator(), file, line)
      case let key: note(.indicator(key: key), file, line)
      }
    }
    note(.indicator(key: ""), file, indicator.line)
  }

  /// Where the receiver stands: a string, or a table with a `source`.
  static func receiverPlaces(in root: TOMLTable) -> [ConfigurationKey: Place] {
    guard let node = root.node("receiver") else { return [:] }
    let file = root.diagnostics.file
    guard case .table(let entries) = node.content else { return [.receiver: Place(file: file, line: node.line)] }
    let lines = Dictionary(entries.map { ($0.key, $0.value.line) }) { first, _ in first }
    let keys: [(ConfigurationKey, String)] = [(.receiver, "source"), (.receiverPower, "power")]
    return Dictionary(
      uniqueKeysWithValues: keys.compactMap { key, name in lines[name].map { (key, Place(file: file, line: $0)) } })
  }

  private mutating func note(_ key: ConfigurationKey, _ file: String, _ line: Int) {
    places[key] = Place(file: file, line: line)
  }
}
