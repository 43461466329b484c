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
      guard !table.has("line") else { return nil }
      for (key, isSet) in [("chip", chip != nil), ("active_low", isActiveLow != nil), ("bias", bias != nil)] where isSet
      {
        table.reject(key, "has no effect without 'line'")
      }
      return nil
    }
    if case .offset = position, chip == nil {
      table.reject(
        "line", "is an offset on a chip, so 'chip' is required (use the label, which gpiodetect shows in brackets)")
    }
    self.init(
      chip: chip?.value, position, isActiveLow: isActiveLow?.value ?? false, bias: bias?.value ?? .asIs)
  }

  /// Parses a table with the keys of one GPIO line, and reports other keys as errors. Returns nil if the GPIO line is
  /// missing or invalid.
  static func all(of table: TOMLTable, isInput: Bool) -> LineSpec? {
    defer { table.finish() }
    return table.required("line") { _ in LineSpec(readingFrom: table, isInput: isInput) }
  }

  /// Parses the label of a GPIO chip (key `chip`); nil if the key is missing. A chip number is rejected, because the
  /// number can change at an update of the kernel.
  private static func chip(in table: TOMLTable) -> Located<String>? {
    table.checked("chip", table.string("chip")) { label in
      let device = label.hasPrefix("/dev/") ? label.dropFirst(5) : label[...]
      guard device.hasPrefix("gpiochip"), device.dropFirst(8).allSatisfy(\.isNumber) else { return lengthFault(label) }
      return "is \(quoted(label)), but chip numbers can change with the kernel "
        + "(use the label, which gpiodetect shows in brackets)"
    }
  }

  private static func position(in table: TOMLTable) -> Position? {
    guard let node = table.node("line") else { return nil }
    switch node.content {
    case .string: return table.checked("line", table.string("line"), lengthFault).map { .name($0.value) }
    case .integer: return table.integer("line", in: 0...65_535).map { .offset(UInt32($0.value)) }
    default:
      table.reject("line", "must be a line's name or its offset, not \(node.kind)")
      return nil
    }
  }

  /// Returns the error message for a GPIO line or chip name that does not have 1...31 bytes; nil for a valid name.
  /// (linux/gpio.h, GPIO_MAX_NAME_SIZE)
  private static func lengthFault(_ name: String) -> String? {
    (1...31).contains(name.utf8.count) ? nil : "is \(quoted(name)), but must have 1...31 bytes"
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
      table.reject("has more than one of 'line', 'led' and 'red', 'green', 'blue'")
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
    let isOne = if case .string = node.content { true } else { false }
    guard let names = isOne ? table.string("led").map({ [$0] }) : table.strings("led") else { return nil }
    if names.count != 1 && names.count != 3 {
      table.reject("led", "has \(names.count) names, but must be one LED, or red, green and blue")
    } else if let wrong = names.first(where: {
      $0.value.isEmpty || $0.value.contains("/") || $0.value.hasPrefix(".")
    }) {
      table.reject("led", line: wrong.line, "has \(quoted(wrong.value)), but must be a name in /sys/class/leds")
    } else if Set(names.map(\.value)).count < names.count {
      table.reject("led", "names one LED twice, but must be three LEDs for red, green and blue")
    } else {
      return names.map(\.value)
    }
    return nil
  }
}
