import Base

/// A location in the configuration: a line of a file, or a command line option.
package struct ConfigurationLocation: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, or the name of the command line option.
  package var file: String
  /// The line number in the file, from 1; nil for the whole file or an option.
  package var line: Int?

  package init(file: String, line: Int? = nil) {
    self.file = file
    self.line = line
  }

  /// The file and the line number, as in `board.toml:12`.
  package var description: String { file + (line.map { ":\($0)" } ?? "") }
}

/// A setting whose location error messages need, because the setting can conflict with the hardware of the machine.
package enum ConfigurationKey: Hashable, Sendable {
  case receiver
  case receiverPower
  /// A key of a table `[[button]]`. The first value is the name of the button.
  case button(String, key: String = "line")
  /// A key of the table `[indicator]`. An LED of the kernel also has the key `line` here.
  case indicator(key: String = "line")
  case sense
}

extension Board {
  /// Returns the location of a key: in `onefix.toml` if this file sets the key, otherwise in `board.toml`. If neither
  /// file sets the key, the result is the location of the table for the key, or the whole file `board.toml`.
  package func location(of key: ConfigurationKey) -> ConfigurationLocation {
    if let location = locations[key] { return location }
    let table: ConfigurationKey? =
      switch key {
      case .button(let name, _): .button(name, key: "")
      case .indicator, .sense: .indicator(key: "")
      case .receiverPower: .receiver
      case .receiver: nil
      }
    return table.flatMap { locations[$0] } ?? ConfigurationLocation(file: file)
  }

  /// Returns the location to report for a conflict between several keys.
  ///
  /// The result is the first of the keys in `onefix.toml`, because users repair the conflict there. If `onefix.toml`
  /// contains none of the keys, the result is the first key in `board.toml`.
  package func location(ofAny keys: [ConfigurationKey]) -> ConfigurationLocation {
    let known = keys.compactMap { locations[$0] }
    return known.first { $0.file != file } ?? known.first ?? keys.first.map(location(of:))
      ?? ConfigurationLocation(file: file)
  }

  /// Records the locations of the settings of a file. Keys that are not in the file keep their previous locations.
  mutating func recordLocations(of buttons: [ButtonSettings], _ indicator: IndicatorSettings?, in file: String) {
    for button in buttons {
      // A new label replaces all translations of the previous label.
      if button.lines["label"] != nil {
        for language in Language.allCases { locations[.button(button.name, key: "label.\(language.rawValue)")] = nil }
      }
      for (key, line) in button.lines { record(.button(button.name, key: key), file, line) }
      record(.button(button.name, key: ""), file, button.line)
    }
    guard let indicator else { return }
    for (key, line) in indicator.lines {
      switch key {
      case "sense": record(.sense, file, line)
      // The indicator's output is a GPIO line, an LED of the kernel, or three lines or LEDs: red, green and blue.
      case "led", "red": record(.indicator(), file, line)
      case let key: record(.indicator(key: key), file, line)
      }
    }
    record(.indicator(key: ""), file, indicator.line)
  }

  /// Returns the locations of the settings of the receiver. In the file, the value of `receiver` is a string, or a
  /// table with the key `source`.
  static func receiverLocations(in root: TOMLTable) -> [ConfigurationKey: ConfigurationLocation] {
    guard let node = root.node("receiver") else { return [:] }
    let file = root.diagnostics.file
    guard case .table(let entries) = node.content else {
      return [.receiver: ConfigurationLocation(file: file, line: node.line)]
    }
    let lines = Dictionary(entries.map { ($0.key, $0.value.line) }) { first, _ in first }
    let keys: [(ConfigurationKey, String)] = [(.receiver, "source"), (.receiverPower, "power")]
    return Dictionary(
      uniqueKeysWithValues: keys.compactMap { key, name in
        lines[name].map { (key, ConfigurationLocation(file: file, line: $0)) }
      })
  }

  private mutating func record(_ key: ConfigurationKey, _ file: String, _ line: Int) {
    locations[key] = ConfigurationLocation(file: file, line: line)
  }
}
