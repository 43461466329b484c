package import Hardware

/// The hardware of a gateway (buttons, indicator, receiver and wiring), which the file `board.toml` declares.
package struct Board: Hashable, Sendable {
  /// The name of the board, which is also the name of its folder, as in `raspberry-pi-5`.
  package var name: String
  /// Whether the program simulates the button and the LED of the board.
  package var isSimulated: Bool
  /// The source of positions, for example a serial port. The file `onefix.toml` can replace this value.
  package var receiver: ReceiverSpec
  package var receiverOptions: ReceiverOptions
  /// The buttons of the board: at least one, each with a different name.
  package var buttons: [ButtonProfile]
  /// The indicator (LED) of the board. If nil, the gateway gives no location to any app.
  package var indicator: IndicatorProfile?
  package var wiring: Wiring
  /// The GPIO lines that buttons and the indicator must not use, for example the time pulse of the receiver.
  package var reservedLines: [ReservedLine]
  package var file: String
  /// The file and the line number of each setting, for error messages.
  var locations: [ConfigurationKey: ConfigurationLocation] = [:]

  /// Parses a file `board.toml`.
  /// - Parameter tables: The names of tables with settings of optional interfaces. `GatewayConfiguration.addFeatures`
  ///   reads these tables later.
  /// - Throws: `ConfigurationError` with all errors of the file.
  package init(
    parsing bytes: [UInt8], file: String, name: String, tables: [String] = []
  ) throws(ConfigurationError) {
    let root = try TOMLTable(parsing: bytes, file: file)
    if let written = root.required("name", root.string)?.value, written != name {
      root.reject("name", "is \(quoted(written)), but the board's folder is \(quoted(name))")
    }
    // The description is for readers of the file. The daemon does not need it.
    _ = root.plainText("description", columns: 100)
    let isSimulated = root.boolean("simulated")?.value
    let receiverOptions = root.required("receiver") { _ in ReceiverOptions.read(in: root) }
    if let node = root.node("receiver"), case .table(let entries) = node.content,
      !entries.contains(where: { $0.key == "source" })
    {
      root.diagnostics.report(node.line, "[receiver] needs 'source'")
    }
    let buttons = ButtonSettings.all(in: root)
    root.require("button")
    let indicator = root.table("indicator").map { IndicatorSettings(reading: $0) }
    let reservedLines = ReservedLine.all(in: root)
    for table in tables { _ = root.node(table) }
    root.finish()
    try root.diagnostics.throwIfAny()
    guard let receiverOptions, let receiver = receiverOptions.source, !buttons.isEmpty else {
      throw ConfigurationError(file: file, "the file needs '[[button]]'")
    }

    self.name = name
    self.isSimulated = isSimulated ?? false
    self.receiver = receiver
    self.receiverOptions = receiverOptions
    self.buttons = buttons.map { $0.applied(to: ButtonProfile(name: $0.name)) }
    self.indicator = indicator?.applied(to: IndicatorProfile())
    self.wiring = Wiring()
    self.reservedLines = reservedLines
    self.file = file
    wire(buttons, indicator)
    recordLocations(of: buttons, indicator, in: file)
    locations.merge(Board.receiverLocations(in: root)) { $1 }
  }

  /// Sets the GPIO lines and LEDs of the board to those in the settings. A button or indicator without such a setting
  /// keeps its GPIO lines and LEDs.
  mutating func wire(_ buttons: [ButtonSettings], _ indicator: IndicatorSettings?) {
    for button in buttons {
      if let line = button.wiring { wiring.buttons[button.name] = line }
    }
    if let output = indicator?.wiring { wiring.indicator = output }
    if let sense = indicator?.sense { wiring.sense = sense }
  }

  /// Checks that each button and the indicator of a real board has a GPIO line or an LED. Call this function after
  /// `GatewayConfiguration.applied(to:)`, because `onefix.toml` can contain the GPIO lines.
  package func checkWiring() throws(ConfigurationError) {
    guard !isSimulated else { return }
    let faults = Diagnostics(file: file)
    for button in buttons where wiring.buttons[button.name] == nil {
      faults.report(
        nil, "button \(quoted(button.name)) has no 'line' (add it here or to [[button]] in onefix.toml)")
    }
    if indicator != nil, wiring.indicator == nil {
      faults.report(nil, "[indicator] has no 'line' or 'led' (add it here or to [indicator] in onefix.toml)")
    }
    try faults.throwIfAny()
  }
}
