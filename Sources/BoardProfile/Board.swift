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
  /// The path of its `board.toml`.
  package var file: String

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
    self.file = file
  }
}
