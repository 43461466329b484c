import Languages

/// A location in the configuration.
package struct Place: Hashable, Sendable, CustomStringConvertible {
  /// The path of a file, or the name of a command line option.
  package var file: String
  /// The line number, from 1. Nil if the location is the whole file.
  package var line: Int?

  package init(file: String, line: Int? = nil) {
    self.file = file
    self.line = line
  }

  /// The location as in `board.toml:12`.
  package var description: String { file + (line.map { ":\($0)" } ?? "") }
}

/// A part of the configuration that can conflict with the machine.
package enum ConfigurationKey: Hashable, Sendable {
  case receiver
  case receiverPower
  /// A key of a `[[button]]` table: the name of the button, and the name of the key (by default `line`).
  case button(String, key: String = "line")
  /// A key of `[indicator]`, by default the key `line`. The key `line` represents the output of the indicator, even if
  /// the output is an LED of the kernel.
  case indicator(key: String = "line")
  case sense
}

extension Board {
  /// Returns the location of a key. If `onefix.toml` sets the key, the location is in `onefix.toml`. If only the
  /// board's file sets the key, the location is in the board's file. If neither file sets the key, the result is the
  /// location of the table that can contain the key, or the location of the board's file as a whole.
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

  /// Returns the location to report for a conflict between several keys. The result is the location of the first key
  /// that the owner's file sets, because a user repairs the conflict in the owner's file. If the owner's file sets none
  /// of the keys, the result is the location of the first key that the board's file sets.
  package func place(ofAny keys: [ConfigurationKey]) -> Place {
    let known = keys.compactMap { places[$0] }
    return known.first { $0.file != file } ?? known.first ?? keys.first.map(place(of:)) ?? Place(file: file)
  }

  /// Records the locations of the settings in a file. If a key is missing in the file, the location of the setting does
  /// not change.
  mutating func recordPlaces(of buttons: [ButtonSettings], _ indicator: IndicatorSettings?, in file: String) {
    for button in buttons {
      // A new label replaces all translations of the previous label.
      if button.lines["label"] != nil {
        for language in Language.allCases { places[.button(button.name, key: "label.\(language.rawValue)")] = nil }
      }
      for (key, line) in button.lines { record(.button(button.name, key: key), file, line) }
      record(.button(button.name, key: ""), file, button.line)
    }
    guard let indicator else { return }
    for (key, line) in indicator.lines {
      switch key {
      case "sense": record(.sense, file, line)
      // The indicator's output is one GPIO line, one LED of the kernel, three GPIO lines or three LEDs. Three GPIO
      // lines or LEDs have the colours red, green and blue.
      case "led", "red": record(.indicator(), file, line)
      case let key: record(.indicator(key: key), file, line)
      }
    }
    record(.indicator(key: ""), file, indicator.line)
  }

  /// Returns the locations of the receiver's keys. The value of `receiver` is a string, or a table with the key
  /// `source`.
  static func receiverPlaces(in root: TOMLTable) -> [ConfigurationKey: Place] {
    guard let node = root.node("receiver") else { return [:] }
    let file = root.diagnostics.file
    guard case .table(let entries) = node.content else { return [.receiver: Place(file: file, line: node.line)] }
    let lines = Dictionary(entries.map { ($0.key, $0.value.line) }) { first, _ in first }
    let keys: [(ConfigurationKey, String)] = [(.receiver, "source"), (.receiverPower, "power")]
    return Dictionary(
      uniqueKeysWithValues: keys.compactMap { key, name in lines[name].map { (key, Place(file: file, line: $0)) } })
  }

  private mutating func record(_ key: ConfigurationKey, _ file: String, _ line: Int) {
    places[key] = Place(file: file, line: line)
  }
}
