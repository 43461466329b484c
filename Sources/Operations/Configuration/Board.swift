package import Hardware

/// The hardware of a gateway, as the file `board.toml` declares it.
package struct Board: Hashable, Sendable {
  /// The name of the board and of its folder, as in `raspberry-pi-5`.
  package var name: String
  /// The description in plain text, at most 100 columns; empty if the file has none.
  package var description: String
  /// Whether the button and the indicator are simulated in this process.
  package var isSimulated: Bool
  /// The source of positions. The file `onefix.toml` can set a different source.
  package var receiver: ReceiverSpec
  package var receiverOptions: ReceiverOptions
  /// The buttons: at least one, with distinct names.
  package var buttons: [ButtonProfile]
  /// The indicator. If the board has no indicator, the value is nil and the gateway discloses no location.
  package var indicator: IndicatorProfile?
  package var wiring: Wiring
  /// The GPIO lines that the board needs for other purposes.
  package var reservedLines: [ReservedLine]
  /// The path of the board's file.
  package var file: String
  /// The location of each setting, either in the board's file or in the owner's file.
  var locations: [ConfigurationKey: ConfigurationLocation] = [:]

  /// Parses a `board.toml`. The thrown `ConfigurationError` contains all errors of the file.
  /// - Parameter tables: the tables of features that the file can have. `GatewayConfiguration.add` reads these tables.
  package init(
    parsing bytes: [UInt8], file: String, name: String, tables: [String] = []
  ) throws(ConfigurationError) {
    let root = try TOMLTable(parsing: bytes, file: file)
    let written = root.string("name")
    if let written, written.value != name {
      root.reject(
        "name", written,
        "is \(DiagnosticText.quoted(written.value)), but the board's folder is \(DiagnosticText.quoted(name))")
    }
    root.require("name")
    let description = root.plainText("description", columns: 100)?.value
    let isSimulated = root.boolean("simulated")?.value
    let receiverOptions = ReceiverOptions.read(in: root)
    root.require("receiver")
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
    self.description = description ?? ""
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

  /// Sets the wiring from the settings. A button or an output without a setting keeps its wiring.
  mutating func wire(_ buttons: [ButtonSettings], _ indicator: IndicatorSettings?) {
    for button in buttons {
      if let line = button.wiring { wiring.buttons[button.name] = line }
    }
    if let output = indicator?.wiring { wiring.indicator = output }
    if let sense = indicator?.sense { wiring.sense = sense }
  }

  /// Checks that the wiring of a real board is complete, after the owner's settings are applied. `onefix.toml` can
  /// contain the wiring, too.
  package func checkWiring() throws(ConfigurationError) {
    guard !isSimulated else { return }
    let faults = Diagnostics(file: file)
    for button in buttons where wiring.buttons[button.name] == nil {
      faults.report(
        nil, "button \(DiagnosticText.quoted(button.name)) has no 'line' (add it here or to [[button]] in onefix.toml)")
    }
    if indicator != nil, wiring.indicator == nil {
      faults.report(nil, "[indicator] has no 'line' or 'led' (add it here or to [indicator] in onefix.toml)")
    }
    try faults.throwIfAny()
  }
}
