import Base

/// The place of a setting, for error messages: a line of a configuration file, or a command line option.
package struct ConfigurationLocation: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file, or the name of the command line option.
  package var file: String
  /// The line number in the file, from 1; nil for the whole file or a command line option.
  package var line: Int?

  package init(file: String, line: Int? = nil) {
    self.file = file
    self.line = line
  }

  /// The file and the line number, as in `board.toml:12`.
  package var description: String { file + (line.map { ":\($0)" } ?? "") }
}

/// A setting that can conflict with the hardware of the machine. Error messages about the conflict name the place of
/// the setting.
package enum ConfigurationKey: Hashable, Sendable {
  case receiver
  case receiverPower
  /// A key of the table `[[button]]` of the button with this name. The key `line` contains the GPIO line.
  case button(String, key: String = "line")
  /// A key of the table `[indicator]`. The key `line` also stands for an LED of the kernel.
  case indicator(key: String = "line")
  case sense
}

extension Board {
  /// Returns the file and the line number of a setting. A setting in `onefix.toml` has priority over the same setting
  /// in `board.toml`. If neither file contains the setting, the result is the place of its table, or the file
  /// `board.toml`.
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

  /// Returns the file and the line number for an error message about a conflict between several settings.
  ///
  /// The result is the first of the settings in `onefix.toml`, because users repair the conflict there. If
  /// `onefix.toml` contains none of the settings, the result is the first setting in `board.toml`.
  package func location(ofAny keys: [ConfigurationKey]) -> ConfigurationLocation {
    let known = keys.compactMap { locations[$0] }
    return known.first { $0.file != file } ?? known.first ?? keys.first.map(location(of:))
      ?? ConfigurationLocation(file: file)
  }

  /// Saves the file and the line number of each button and indicator setting in a file, for error messages. Settings
  /// that are not in the file keep their previous places.
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

  /// Returns the file and the line number of each setting of the receiver. In the file, the value of `receiver` is a
  /// string, or a table with the key `source`.
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
