package import Hardware

extension LineSpec {
  /// Parses a GPIO line from the keys `chip`, `line`, `active_low` and `bias`. Returns nil if `line` is missing or
  /// invalid.
  package init?(readingFrom table: TOMLTable, isInput: Bool) {
    let chip = LineSpec.chip(in: table)
    let position = LineSpec.position(in: table)
    let isActiveLow = table.boolean("active_low")
    let bias = isInput ? table.choice("bias", of: LineSpec.Bias.self) : nil
    guard let position else {
      let stray = [("chip", chip?.line), ("active_low", isActiveLow?.line), ("bias", bias?.line)]
      for (key, line) in stray {
        if let line { table.diagnostics.report(line, "\(table.title(key)) has no effect without 'line'") }
      }
      return nil
    }
    if case .offset = position.value, chip == nil {
      table.diagnostics.report(
        position.line,
        "\(table.title("line")) is an offset on a chip, so 'chip' is required "
          + "(use the label, which gpiodetect shows in brackets)")
    }
    self.init(
      chip: chip?.value, position.value, isActiveLow: isActiveLow?.value ?? false, bias: bias?.value ?? .asIs)
  }

  /// Parses a table that contains only the keys of a GPIO line. Returns nil if the table is invalid.
  static func all(of table: TOMLTable, isInput: Bool) -> LineSpec? {
    let line = LineSpec(readingFrom: table, isInput: isInput)
    table.require("line")
    table.finish()
    return line
  }

  /// Parses the label of a GPIO chip; nil if the key is missing. A chip number is rejected, because the number can
  /// change at an update of the kernel.
  private static func chip(in table: TOMLTable) -> Located<String>? {
    table.checked("chip", table.string("chip")) { label in
      let device = label.hasPrefix("/dev/") ? label.dropFirst(5) : label[...]
      guard device.hasPrefix("gpiochip"), device.dropFirst(8).allSatisfy(\.isNumber) else { return lengthFault(label) }
      return "is \(DiagnosticText.quoted(label)), but chip numbers can change with the kernel "
        + "(use the label, which gpiodetect shows in brackets)"
    }
  }

  private static func position(in table: TOMLTable) -> Located<Position>? {
    guard let node = table.node("line") else { return nil }
    switch node.content {
    case .string:
      return table.checked("line", table.string("line"), lengthFault).map {
        Located(value: .name($0.value), line: $0.line)
      }
    case .integer:
      return table.integer("line", in: 0...65_535).map { Located(value: .offset(UInt32($0.value)), line: $0.line) }
    default:
      table.diagnostics.report(
        node.line, "\(table.title("line")) must be a line's name or its offset, not \(node.kind)")
      return nil
    }
  }

  /// Returns the error in the name of a GPIO line or chip; nil for a valid length of 1...31 bytes. (linux/gpio.h,
  /// GPIO_MAX_NAME_SIZE)
  private static func lengthFault(_ name: String) -> String? {
    (1...31).contains(name.utf8.count) ? nil : "is \(DiagnosticText.quoted(name)), but must have 1...31 bytes"
  }
}

extension IndicatorWiring {
  /// Parses the GPIO lines or LEDs of the indicator: `line` (with `chip` and `active_low`), `led`, or the tables `red`,
  /// `green` and `blue`. Returns nil if the table has no valid setting of this kind.
  init?(readingFrom table: TOMLTable) {
    let line = LineSpec(readingFrom: table, isInput: false)
    let leds = IndicatorWiring.leds(in: table)
    let colours = ["red", "green", "blue"]
    let tables = colours.map { table.table($0) }
    let lines = tables.map { table in table.flatMap { LineSpec.all(of: $0, isInput: false) } }
    let named = tables.compactMap { $0 }
    if let first = named.first, named.count < 3 {
      table.diagnostics.report(first.line, "[indicator] needs all or none of 'red', 'green' and 'blue'")
    }
    if [line != nil, leds != nil, !named.isEmpty].count(where: { $0 }) > 1 {
      table.diagnostics.report(table.line, "[indicator] has more than one of 'line', 'led' and 'red', 'green', 'blue'")
    }
    if let line {
      self = .line(line)
    } else if let leds {
      self = .leds(leds)
    } else if let red = lines[0], let green = lines[1], let blue = lines[2] {
      self = .rgbLines(red: red, green: green, blue: blue)
    } else {
      return nil
    }
  }

  private static func leds(in table: TOMLTable) -> [String]? {
    guard let node = table.node("led") else { return nil }
    let names: [Located<String>]
    if case .string(let name) = node.content {
      names = [Located(value: name, line: node.line)]
    } else {
      guard let found = table.strings("led") else { return nil }
      names = found
    }
    guard names.count == 1 || names.count == 3 else {
      table.diagnostics.report(
        node.line, "\(table.title("led")) has \(names.count) names, but must be one LED, or red, green and blue")
      return nil
    }
    for name in names where name.value.isEmpty || name.value.contains("/") || name.value.hasPrefix(".") {
      table.reject("led", name, "has \(DiagnosticText.quoted(name.value)), but must be a name in /sys/class/leds")
      return nil
    }
    guard Set(names.map(\.value)).count == names.count else {
      table.diagnostics.report(
        node.line, "\(table.title("led")) names one LED twice, but must be three LEDs for red, green and blue")
      return nil
    }
    return names.map(\.value)
  }
}
