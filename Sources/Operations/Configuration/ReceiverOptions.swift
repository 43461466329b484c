package import GNSS
package import Hardware
package import Decoding

/// The settings of `receiver`: the source of positions and the configuration of the receiver. The value of `receiver`
/// is a table, or a string with the source, as in `receiver = "uart:/dev/ttyAMA0"`.
package struct ReceiverOptions: Hashable, Sendable {
  /// A named set of messages that the receiver sends.
  package enum MessageSet: String, Hashable, Sendable, CaseIterable {
    /// All UBX messages that the gateway uses, and the sentences RMC and GST for programs that read only NMEA
    /// sentences.
    case complete
    /// The standard NMEA sentences and GST. No UBX messages.
    case nmea
    /// The sentence GST, in addition to the messages that the receiver already sends.
    case gst
  }

  /// The permitted numbers of epochs per second. At a lower rate, the gateway would treat the receiver as if it sent no
  /// data. No supported receiver has a higher rate.
  static let rates = 0.2...25.0

  package var source: ReceiverSpec?
  /// The key `configure`. If false, the gateway does not configure the receiver. If true, and if no other setting
  /// exists, the gateway selects the message set `complete`.
  package var isConfigured: Bool?
  /// The key `port`: the receiver's own port to which this machine is connected; nil if the source determines it.
  package var port: ReceiverPort?
  /// The key `rate`: the epochs per second, 0.2...25 Hz.
  package var rate: Double?
  /// The key `messages`: the number of epochs from one transmission of a message to the next; 0 for no transmission.
  /// The settings of other messages do not change.
  package var messages: [OutputMessage: UInt8]?
  /// The key `constellations`: the constellations to use. The receiver switches all others off.
  package var constellations: Set<Constellation>?
  package var dynamicModel: DynamicModel?
  /// The key `checksum`. If false, the gateway accepts sentences that have no checksum.
  package var requiresChecksum: Bool?
  /// The key `unmeasured`. If true, the gateway accepts estimated, manually entered and simulated positions.
  package var servesUnmeasured: Bool?
  /// The key `power`: the GPIO line that switches the receiver's supply.
  package var power: LineSpec?

  /// Returns a copy of these options, completed with the options of `others`.
  func overriding(_ others: ReceiverOptions) -> ReceiverOptions {
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

  /// Returns the settings to send to the receiver; nil if the gateway does not configure the receiver.
  /// - Parameter port: the receiver's own port, which applies if the option `port` is missing.
  package func settings(port: ReceiverPort) -> ReceiverSettings? {
    let asksNothing = rate == nil && messages == nil && constellations == nil && dynamicModel == nil
    guard isConfigured ?? !asksNothing else { return nil }
    return ReceiverSettings(
      port: self.port ?? port, period: rate.map { UInt16((1000 / $0).rounded()) },
      messages: messages ?? (asksNothing ? ReceiverSettings.completeMessages : [:]), constellations: constellations,
      dynamicModel: dynamicModel)
  }
}

// MARK: Parsing

extension ReceiverOptions {
  /// Parses the value of `receiver`. Returns nil if the key is missing.
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
    port = table.choice("port", among: ReceiverPort.allCases) { $0.name }?.value
    rate = table.number("rate", in: ReceiverOptions.rates)?.value
    requiresChecksum = table.boolean("checksum")?.value
    servesUnmeasured = table.boolean("unmeasured")?.value
    messages = ReceiverOptions.messages(in: table)
    constellations = ReceiverOptions.constellations(in: table)
    power = table.table("power").flatMap { LineSpec.all(of: $0, isInput: false) }
    dynamicModel = table.choice("dynamic_model", among: DynamicModel.allCases) { $0.name }?.value
  }

  private static func source(_ text: Located<String>, in table: TOMLTable) -> ReceiverSpec? {
    do {
      return try ReceiverSpec(text.value)
    } catch {
      table.diagnostics.report(text.line, error.description)
      return nil
    }
  }

  /// Parses the name of a set of messages, or a list of messages. A list switches off all other messages.
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
    guard let wanted = table.choices("messages", among: OutputMessage.allCases, name: { $0.rawValue }) else {
      return nil
    }
    guard wanted.contains(where: \.hasPosition) else {
      let positions = OutputMessage.allCases.filter(\.hasPosition).map(\.rawValue)
      table.diagnostics.report(
        node.line,
        "\(table.title("messages")) has no message with a position, such as \(DiagnosticText.alternatives(positions))")
      return nil
    }
    return Dictionary(uniqueKeysWithValues: OutputMessage.allCases.map { ($0, wanted.contains($0) ? 1 : 0) })
  }

  private static func constellations(in table: TOMLTable) -> Set<Constellation>? {
    let key = "constellations"
    guard let wanted = table.choices(key, among: Constellation.allCases, name: { $0.rawValue }) else { return nil }
    // A position needs a global constellation. A regional or an augmentation constellation is not sufficient.
    guard !wanted.isDisjoint(with: [.gps, .glonass, .galileo, .beidou]) else {
      table.diagnostics.report(
        table.node(key)?.line ?? table.line,
        "\(table.title(key)) needs a global system: 'gps', 'glonass', 'galileo' or 'beidou'")
      return nil
    }
    return wanted
  }
}
