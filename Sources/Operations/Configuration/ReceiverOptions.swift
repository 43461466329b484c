package import Decoding
package import GNSS
package import Hardware

/// The settings of the key `receiver`: the source of positions, and the configuration of the GNSS receiver. In the
/// file, the value is a table, or a string with the source, as in `receiver = "uart:/dev/ttyAMA0"`.
package struct ReceiverOptions: Hashable, Sendable {
  /// A named set of messages that the GNSS receiver sends.
  package enum MessageSet: String, Hashable, Sendable, CaseIterable {
    /// All UBX messages that the gateway uses, and the NMEA sentences RMC and GST for programs that read only NMEA.
    case complete
    /// The standard NMEA sentences and GST, but no UBX messages.
    case nmea
    /// The NMEA sentence GST, in addition to the messages that the receiver already sends.
    case gst
  }

  /// The permitted counts of fixes in a second, in Hz. At a lower rate, the gateway would assume that the receiver is
  /// absent. No supported receiver has a higher rate.
  static let rates = 0.2...25.0

  package var source: ReceiverSpec?
  /// Whether the gateway sends settings to the receiver (key `configure`). If nil, the gateway sends settings only if
  /// `rate`, `messages`, `constellations` or `dynamicModel` is set. If true and none of these is set, the receiver gets
  /// the message set `complete`.
  package var isConfigured: Bool?
  /// The receiver's own port to which this machine is connected (key `port`); nil to derive the port from the source of
  /// positions.
  package var port: ReceiverPort?
  /// The count of fixes that the receiver computes in a second (key `rate`), 0.2...25 Hz; nil if not set.
  package var rate: Double?
  /// The output rate of each message (key `messages`): the count of epochs (computed fixes) from one message to the
  /// next; 0 for never. Messages that are not in the dictionary stay unchanged. Nil if not set.
  package var messages: [OutputMessage: UInt8]?
  /// The constellations to use (key `constellations`); nil if not set. The receiver switches all other constellations
  /// off.
  package var constellations: Set<Constellation>?
  package var dynamicModel: DynamicModel?
  /// Whether the gateway ignores NMEA sentences that have no checksum (key `checksum`); nil if not set.
  package var requiresChecksum: Bool?
  /// Whether the gateway accepts estimated, manually entered and simulated positions (key `unmeasured`); nil if not
  /// set.
  package var servesUnmeasured: Bool?
  /// The GPIO line that switches the power supply of the receiver (key `power`); nil for none.
  package var power: LineSpec?

  /// Returns a copy of the options in which the values of `others` replace nil.
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

  /// Returns the settings that the gateway sends to the receiver; nil if the gateway does not configure the receiver.
  /// - Parameter port: The receiver's own port. The option `port` has priority.
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
  /// Parses the value of the key `receiver`. Returns nil if the key is missing or invalid.
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

  /// Parses the value of the key `messages`: the name of a message set, or a list of messages. A list switches off all
  /// other messages. Returns nil if the key is missing or invalid.
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
      table.reject("messages", "must be a string or an array of strings, not \(node.kind)")
      return nil
    }
    guard let wanted = table.choices("messages", among: OutputMessage.allCases, name: { $0.rawValue }) else {
      return nil
    }
    guard wanted.contains(where: \.hasPosition) else {
      let positions = OutputMessage.allCases.filter(\.hasPosition).map(\.rawValue)
      table.reject(
        "messages", "has no message with a position, such as \(DiagnosticText.alternatives(positions))")
      return nil
    }
    return Dictionary(uniqueKeysWithValues: OutputMessage.allCases.map { ($0, wanted.contains($0) ? 1 : 0) })
  }

  private static func constellations(in table: TOMLTable) -> Set<Constellation>? {
    let key = "constellations"
    guard let wanted = table.choices(key, among: Constellation.allCases, name: { $0.rawValue }) else { return nil }
    // A position needs a global constellation. A regional or an augmentation constellation is not sufficient.
    guard !wanted.isDisjoint(with: [.gps, .glonass, .galileo, .beidou]) else {
      table.reject(key, "needs a global system: 'gps', 'glonass', 'galileo' or 'beidou'")
      return nil
    }
    return wanted
  }
}
