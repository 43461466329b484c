package import GNSS
package import Hardware
package import UBX

/// What `receiver` says: where positions come from, and what the receiver shall do. What it leaves out stays as it was; a
/// receiver of which nothing is asked is left as it is.
///
/// Written as a table, or, where it only names the receiver, as `receiver = "uart:/dev/ttyAMA0"`.
package struct ReceiverOptions: Hashable, Sendable {
  /// What a receiver sends by a name.
  package enum MessageSet: String, Hashable, Sendable, CaseIterable {
    /// The whole solution with its errors and satellites as UBX, and RMC and GST for who reads sentences only.
    case complete
    /// The standard sentences with GST, and no UBX.
    case nmea
    /// GST besides what it sends anyway.
    case gst
  }

  /// Epochs per second: a slower one would be taken for a receiver that fell silent, and none is faster.
  static let rates = 0.2...25.0

  /// `source`
  package var source: ReceiverSpec?
  /// `configure`: false leaves the receiver as it is, whatever else is said; true alone asks for the complete messages.
  package var isConfigured: Bool?
  /// `port`: which of the receiver's own ports this machine is connected to. Nil where the source tells.
  package var port: ReceiverPort?
  /// `rate`: 0.2...25 Hz
  package var rate: Double?
  /// `messages`: in every so many epochs, 0 for never; what is not named stays as the receiver has it.
  package var messages: [OutputMessage: UInt8]?
  /// `constellations`: the systems to use; others are switched off.
  package var constellations: Set<Constellation>?
  /// `dynamic_model`
  package var dynamicModel: DynamicModel?
  /// `checksum`: false where sentences count that have none.
  package var requiresChecksum: Bool?
  /// `unmeasured`: true where positions are served that the receiver estimated, was told or simulates.
  package var servesUnmeasured: Bool?
  /// `power`: the line that switches the receiver's supply.
  package var power: LineSpec?

  package init() {}

  /// These options over others.
  func over(_ others: ReceiverOptions) -> ReceiverOptions {
    var result = self
    result.source = source ?? others.source
    result.isConfigured = isConfigured ?? others.isConfigured
    result.port = port ?? others.port
    result.rate = rate ?? others.rate
    result.messages = messages ?? others.messages
    result.constellations = constellations ?? others.constellations
    result.dynamicModel = dynamicModel ?? others.dynamicModel
    result.requiresChecksum = requiresChecksum ?? others.requiresChecksum
    result.servesUnmeasured = servesUnmeasured ?? others.servesUnmeasured
    result.power = power ?? others.power
    return result
  }

  /// What is asked of the receiver; nil where it is left as it is.
  /// - Parameter port: the receiver's own port, unless the owner names another.
  package func settings(port: ReceiverPort) -> ReceiverSettings? {
    let asksNothing = rate == nil && messages == nil && constellations == nil && dynamicModel == nil
    guard isConfigured ?? !asksNothing else { return nil }
    return ReceiverSettings(
      port: self.port ?? port, period: rate.map { UInt16((1000 / $0).rounded()) },
      messages: messages ?? (asksNothing ? ReceiverSettings.completeMessages : [:]), constellations: constellations,
      dynamicModel: dynamicModel)
  }
}

// MARK: Reading

extension ReceiverOptions {
  /// What stands under `receiver`; nil where nothing does. What is wrong is reported.
  static func read(in root: TOMLTable) -> ReceiverOptions? {
    guard let node = root.node("receiver") else { return nil }
    guard case .table = node.content else {
      guard let text = root.string("receiver") else { return nil }
      var options = ReceiverOptions()
      options.source = ReceiverOptions.source(text, in: root)
      return options
    }
    return root.table("receiver").map { ReceiverOptions(reading: $0) }
  }

  private init(reading table: TOMLTable) {
    defer { table.finish() }
    source = table.string("source").flatMap { ReceiverOptions.source($0, in: table) }
    isConfigured = table.boolean("configure")?.value
    port = ReceiverOptions.choice("port", among: ReceiverPort.allCases, in: table) { $0.name }
    rate = table.number("rate", in: ReceiverOptions.rates)?.value
    requiresChecksum = table.boolean("checksum")?.value
    servesUnmeasured = table.boolean("unmeasured")?.value
    messages = ReceiverOptions.messages(in: table)
    constellations = ReceiverOptions.constellations(in: table)
    power = table.table("power").flatMap { LineSpec.all(of: $0, isInput: false) }
    dynamicModel = ReceiverOptions.choice("dynamic_model", among: DynamicModel.allCases, in: table) { $0.name }
  }

  private static func source(_ text: Located<String>, in table: TOMLTable) -> ReceiverSpec? {
    do {
      return try ReceiverSpec(text.value)
    } catch {
      table.diagnostics.report(text.line, error.description)
      return nil
    }
  }

  /// A set by its name, or every message that is wanted: then no other is.
  private static func messages(in table: TOMLTable) -> [OutputMessage: UInt8]? {
    guard let node = table.node("messages") else { return nil }
    if case .string = node.content {
      switch table.choice("messages", of: MessageSet.self)?.value {
      case .complete: return ReceiverSettings.completeMessages
      case .nmea: return ReceiverSettings.sentenceMessages
      case .gst: return [.gst: 1]
      case nil: return nil
      }
    }
    guard case .array = node.content else {
      table.diagnostics.report(
        node.line, "\(table.title("messages")) must be a string or an array of strings, not \(node.kind)")
      return nil
    }
    guard let wanted = choices("messages", among: OutputMessage.allCases, in: table, name: { $0.rawValue }) else {
      return nil
    }
    guard wanted.contains(where: \.hasPosition) else {
      let positions = OutputMessage.allCases.filter(\.hasPosition).map(\.rawValue)
      table.diagnostics.report(
        node.line, "\(table.title("messages")) has none that tells a position: \(Wording.alternatives(positions))")
      return nil
    }
    return Dictionary(uniqueKeysWithValues: OutputMessage.allCases.map { ($0, wanted.contains($0) ? 1 : 0) })
  }

  private static func constellations(in table: TOMLTable) -> Set<Constellation>? {
    let key = "constellations"
    guard let wanted = choices(key, among: Constellation.allCases, in: table, name: { $0.rawValue }) else { return nil }
    // The others complete or correct a system that covers the earth, and are none by themselves.
    guard !wanted.isDisjoint(with: [.gps, .glonass, .galileo, .beidou]) else {
      table.diagnostics.report(
        table.node(key)?.line ?? table.line,
        "\(table.title(key)) needs one that covers the earth: 'gps', 'glonass', 'galileo' or 'beidou'")
      return nil
    }
    return wanted
  }

  private static func choice<Value>(
    _ key: String, among values: [Value], in table: TOMLTable, name: (Value) -> String
  ) -> Value? {
    guard let text = table.string(key) else { return nil }
    return value(text, of: key, "is", among: values, in: table, name)
  }

  private static func choices<Value: Hashable>(
    _ key: String, among values: [Value], in table: TOMLTable, name: (Value) -> String
  ) -> Set<Value>? {
    guard let texts = table.strings(key) else { return nil }
    let found = texts.map { value($0, of: key, "has", among: values, in: table, name) }
    let known = Set(found.compactMap(\.self))
    return found.contains(nil) ? nil : known
  }

  private static func value<Value>(
    _ text: Located<String>, of key: String, _ verb: String, among values: [Value], in table: TOMLTable,
    _ name: (Value) -> String
  ) -> Value? {
    if let value = values.first(where: { name($0) == text.value }) { return value }
    let names = values.map(name)
    table.refuse(
      key, text,
      "\(verb) \(Wording.quoted(text.value)), but must be \(Wording.alternatives(names))"
        + Wording.suggestion(for: text.value, among: names))
    return nil
  }
}
