import Base

/// How to configure the receivers of one manufacturer with NMEA sentences: a row of the table `ReceiverMake.all`.
///
/// The strings contain the address and the fields of a sentence, without `$`, checksum and line end.
struct ReceiverMake: Sendable {
  /// The sentences that end the sleep mode of a receiver, and switch on the position sentences GGA and RMC.
  let wakeUp: [String]
  /// The NMEA sentences that request the version of the receiver, and keep the receiver from ignoring further commands.
  let identification: [String]
  /// Returns the model of the receiver if the NMEA sentence answers `identification`; nil for any other sentence.
  let model: @Sendable (ReceiverAnswer) -> String?
  /// The first fields of the NMEA sentences that the receiver sends after a restart. Each element belongs to one
  /// sentence.
  let startSigns: [[String]]
  /// The timeout for the answer to a command.
  let replyTimeout: Duration
  /// Returns the steps that apply the given settings, in the order of sending.
  let steps: @Sendable (ReceiverSettings) -> [SettingStep]

  /// Returns the manufacturer and the model of a receiver from its answer to a version request. Returns nil for any
  /// other NMEA sentence.
  static func recognize(_ sentence: ReceiverAnswer) -> (make: ReceiverMake, model: String)? {
    for make in all {
      if let model = make.model(sentence) { return (make, model) }
    }
    return nil
  }

  /// The bytes of the version requests for the receivers of all manufacturers.
  static let identificationBytes = bytes(of: all.flatMap(\.identification))

  /// Encodes NMEA sentences as bytes, with `$`, checksum and line end.
  static func bytes(of sentences: [String]) -> [UInt8] {
    sentences.flatMap { Array("\(NMEAText.sentence($0))\r\n".utf8) }
  }
}

/// The commands that end the sleep mode of a receiver, so that the receiver sends its position again.
package enum WakeUp {
  /// The commands for the receivers of all manufacturers, less than 300 bytes. A receiver ignores the commands of other
  /// manufacturers.
  package static let bytes = ReceiverMake.bytes(of: ReceiverMake.all.flatMap(\.wakeUp))
}

/// An answer of a receiver to a command, or a text about its firmware. A text begins with `TXT`.
///
/// No sentence with a position can be an answer, so the code that configures the receiver never gets a position.
package struct ReceiverAnswer: Hashable, Sendable {
  let fields: [String]

  private static let addresses: Set = [
    "PAIR001", "PAIR021", "PAIR067", "PMTK001", "PMTK010", "PMTK514", "PMTK705", "PQTMVERNO", "PQTMCFGMSGRATE",
    "PQTMCFGFIXRATE", "PQTMCFGCNST", "PGRMT",
  ]
  private static let texts = ["SW=", "MO=", "MA="]

  /// Creates an answer from an NMEA sentence. Returns nil if the sentence is no answer.
  /// - Parameter content: the address and the fields of the sentence, without `$`, checksum and line end.
  package init?(_ content: String) {
    let fields = content.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    switch fields[0] {
    // The fields of this sentence contain an altitude.
    case "PGRMC": self.fields = ["PGRMC"]
    case "TXT":
      guard fields.count > 1, ReceiverAnswer.texts.contains(where: fields[1].hasPrefix) else { return nil }
      self.fields = fields
    default:
      guard ReceiverAnswer.addresses.contains(fields[0]) else { return nil }
      self.fields = fields
    }
  }

  /// Returns the fields after the given first fields; nil if the answer begins with other fields.
  func rest(after first: String...) -> [String]? {
    fields.starts(with: first) ? Array(fields.dropFirst(first.count)) : nil
  }
}

/// A step of the receiver's configuration: settings that are sent together, and the commands for them.
struct SettingStep: Sendable {
  var settings: [ReceiverSetting]
  /// The request for the present value of the settings; nil if the commands do not depend on the present value.
  var question: SettingQuestion?
  /// The steps that follow if the receiver does not answer, or refuses the settings.
  var otherwise: [SettingStep] = []
  /// The commands that apply the settings, as alternatives. If the receiver refuses a command, the next command is
  /// sent. If the array is empty, the settings count as refused.
  var alternatives: [SettingCommand] = []
  /// The time for which the receiver restarts after the commands.
  var pause = Duration.zero

  /// Returns a step for settings that the receivers of this manufacturer do not have.
  static func refusal(_ settings: [ReceiverSetting]) -> SettingStep { SettingStep(settings: settings) }
}

/// A request for the present value of a setting.
struct SettingQuestion: Sendable {
  var sentence: String
  /// Returns the next steps after an answer; nil if the NMEA sentence does not answer this request.
  var plan: @Sendable (ReceiverAnswer) -> Plan?

  enum Plan: Sendable {
    /// The settings already have the wanted values.
    case applied
    /// The receiver does not have the settings.
    case refused
    /// The given steps must follow in place of this step.
    case steps([SettingStep])
  }
}

/// A command that changes a setting, and the way to verify the change.
struct SettingCommand: Sendable {
  var sentences: [String]
  var proof: Proof

  enum Proof: Sendable {
    /// The answer of the receiver verifies the change. The closure returns nil if an NMEA sentence does not answer the
    /// command.
    case answer(@Sendable (ReceiverAnswer) -> Verdict?)
    /// The receiver's output verifies the change: each type of NMEA sentence must be present or absent. Each setting
    /// has its own result.
    case sentences([ReceiverSetting: Expectation])
    /// The rate of the receiver's positions verifies the change. The value is the expected period in milliseconds.
    case period(Int)
  }

  struct Expectation: Sendable {
    var type: SentenceType
    var isSent: Bool
  }

  enum Verdict: Sendable {
    case accepted
    case refused
    /// The receiver is busy, or the setting still has another value than the wanted value.
    case notYet
  }
}

/// How many NMEA sentences of each type the receiver has sent.
package struct SentenceCounts: Hashable, Sendable {
  private var counts: [SentenceType: Int] = [:]

  package init(_ statistics: Statistics) {
    for type in SentenceType.allCases { counts[type] = statistics.count(of: type) }
  }

  init(_ counts: [SentenceType: Int] = [:]) { self.counts = counts }

  func count(of type: SentenceType) -> Int { counts[type] ?? 0 }

  /// The count of positions. A receiver can send each position in several NMEA sentence types, so the value is the
  /// largest count of these types.
  var positions: Int { [SentenceType.gga, .rmc, .gll, .gns].map(count(of:)).max() ?? 0 }

  static func - (left: SentenceCounts, right: SentenceCounts) -> SentenceCounts {
    SentenceCounts(left.counts.merging(right.counts) { $0 - $1 })
  }
}
