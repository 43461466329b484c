package import Hardware

/// A board: what a gateway's hardware is and how it looks, as its `board.toml` declares.
package struct Board: Hashable, Sendable {
  /// The folder's name, as in `raspberry-pi-5`.
  package var name: String
  /// One line for people.
  package var description: String
  /// Button and indicator live in this program.
  package var isSimulated: Bool
  /// The receiver, unless another is asked for.
  package var receiver: ReceiverSpec
  /// What the receiver shall do.
  package var receiverOptions: ReceiverOptions
  /// At least one; names differ.
  package var buttons: [ButtonProfile]
  /// Nil where the board has none: then nothing is ever disclosed.
  package var indicator: IndicatorProfile?
  /// What buttons and indicator are wired to.
  package var wiring: Wiring
  /// The path of its `board.toml`.
  package var file: String
  /// Where its parts stand, in this file or in the owner's.
  var places: [ConfigurationKey: Place] = [:]

  /// Reads a `board.toml`.
  /// - Throws: `ConfigurationError` with everything that is wrong.
  package init(parsing bytes: [UInt8], file: String, name: String) throws(ConfigurationError) {
    let root = try TOMLTable(parsing: bytes, file: file)
    let written = root.string("name")
    if let written, written.value != name {
      root.refuse(
        "name", written, "is \(Wording.quoted(written.value)), but the board's folder is \(Wording.quoted(name))")
    }
    root.need("name")
    let description = root.plainText("description", columns: 100)?.value
    let isSimulated = root.boolean("simulated")?.value
    let receiverOptions = ReceiverOptions.read(in: root)
    root.need("receiver")
    if let node = root.node("receiver"), case .table(let entries) = node.content,
      !entries.contains(where: { $0.key == "source" })
    {
      root.diagnostics.report(node.line, "[receiver] needs 'source'")
    }
    let buttons = ButtonSettings.all(in: root)
    root.need("button")
    let indicator = root.table("indicator").map { IndicatorSettings(reading: $0) }
    root.finish()
    try root.diagnostics.throwIfAny()
    guard let receiverOptions, let receiver = receiverOptions.source, !buttons.isEmpty else {
      throw ConfigurationError(file: file, "it has no [[button]]")
    }

    self.name = name
    self.description = description ?? ""
    self.isSimulated = isSimulated ?? false
    self.receiver = receiver
    self.receiverOptions = receiverOptions
    self.buttons = buttons.map { $0.applied(to: ButtonProfile(name: $0.name)) }
    self.indicator = indicator?.applied(to: IndicatorProfile())
    self.wiring = Wiring()
    self.file = file
    wire(buttons, indicator)
    notePlaces(of: buttons, indicator, in: file)
    places.merge(Board.receiverPlaces(in: root)) { $1 }
  }

  /// Lays wires as settings say; those that they do not name stay.
  mutating func wire(_ buttons: [ButtonSettings], _ indicator: IndicatorSettings?) {
    for button in buttons {
      if let line = button.wiring { wiring.buttons[button.name] = line }
    }
    if let output = indicator?.wiring { wiring.indicator = output }
    if let sense = indicator?.sense { wiring.sense = sense }
  }

  /// Checks that a board that is not simulated says where its buttons and its indicator are.
  ///
  /// Asked of the board as its owner wants it: the lines of a board of one's own stand in `onefix.toml`.
  /// - Throws: `ConfigurationError` with everything that is missing.
  package func checkWiring() throws(ConfigurationError) {
    guard !isSimulated else { return }
    let faults = Diagnostics(file: file)
    for button in buttons where wiring.buttons[button.name] == nil {
      faults.report(
        nil, "button \(Wording.quoted(button.name)) has no 'line': say it here, or under [[button]] in onefix.toml")
    }
    if indicator != nil, wiring.indicator == nil {
      faults.report(nil, "[indicator] has no 'line' or 'led': say it here, or under [indicator] in onefix.toml")
    }
    try faults.throwIfAny()
  }
}
