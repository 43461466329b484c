import Base

/// The configuration of one manufacturer's receivers with NMEA sentences: a row of the table `ReceiverMake.all`.
///
/// The strings contain the address and the fields of a sentence, without `$`, checksum and line end.
struct ReceiverMake: Sendable {
  /// The sentences that end the sleep mode of a receiver, and that switch on the sentences GGA and RMC with its
  /// position.
  let wakeUp: [String]
  /// The sentences that request the version of the receiver, and make a sleeping receiver accept commands.
  let identification: [String]
  /// A closure that returns the model of the receiver from an answer to `identification`; nil for any other sentence.
  let model: @Sendable (ReceiverAnswer) -> String?
  /// The first fields of each sentence that the receiver sends after a restart.
  let startSigns: [[String]]
  let replyTimeout: Duration
  /// A closure that returns the steps for the given settings, in the order of sending.
  let steps: @Sendable (ReceiverSettings) -> [SettingStep]

  /// Returns the manufacturer and the model of a receiver from the answer to a version request; nil for any other
  /// sentence.
  static func recognize(_ sentence: ReceiverAnswer) -> (make: ReceiverMake, model: String)? {
    for make in all {
      if let model = make.model(sentence) { return (make, model) }
    }
    return nil
  }

  /// The version requests for the receivers of all manufacturers, as bytes to send.
  static let identificationBytes = bytes(of: all.flatMap(\.identification))

  /// Returns the bytes of NMEA sentences, with `$`, checksum and line end.
  static func bytes(of sentences: [String]) -> [UInt8] {
    sentences.flatMap { Array("\(NMEAText.sentence($0))\r\n".utf8) }
  }
}

/// The commands that end the sleep mode of a receiver.
package enum WakeUp {
  /// The bytes of the wake-up commands for all manufacturers, less than 300. A receiver ignores the commands of other
  /// manufacturers.
  package static let bytes = ReceiverMake.bytes(of: ReceiverMake.all.flatMap(\.wakeUp))
}

/// A receiver's answer to a command, or a text about its firmware (a `TXT` sentence).
///
/// No sentence with a position can be an answer, so the code that configures the receiver never gets a position.
package struct ReceiverAnswer: Hashable, Sendable {
  let fields: [String]

  private static let addresses: Set = [
    "PAIR001", "PAIR021", "PAIR067", "PMTK001", "PMTK010", "PMTK514", "PMTK705", "PQTMVERNO", "PQTMCFGMSGRATE",
    "PQTMCFGFIXRATE", "PQTMCFGCNST", "PGRMT",
  ]
  private static let texts = ["SW=", "MO=", "MA="]

  /// Creates an answer from an NMEA sentence. Returns nil if the sentence is not an answer.
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

  /// Returns the fields after `first`; nil if the answer does not begin with the fields `first`.
  func rest(after first: String...) -> [String]? {
    fields.starts(with: first) ? Array(fields.dropFirst(first.count)) : nil
  }
}

/// A step of the receiver's configuration: the settings, and the commands that apply them.
struct SettingStep: Sendable {
  var settings: [ReceiverSetting]
  /// The request for the receiver's present value; nil if the commands do not depend on the present value.
  var question: SettingQuestion?
  /// The steps that follow if the receiver does not answer, or refuses the settings of this step.
  var otherwise: [SettingStep] = []
  /// The alternative commands that apply the settings. If the receiver refuses a command, the next command follows. An
  /// empty array means that the receiver does not have the settings.
  var alternatives: [SettingCommand] = []
  /// The time for which the receiver restarts after the commands.
  var pause = Duration.zero

  /// Returns a step without commands, for settings that the receiver does not have.
  static func refusal(_ settings: [ReceiverSetting]) -> SettingStep { SettingStep(settings: settings) }
}

/// A request to the receiver for the present value of a setting.
struct SettingQuestion: Sendable {
  var sentence: String
  /// A closure that returns the next action after an answer; nil if the sentence does not answer this request.
  var plan: @Sendable (ReceiverAnswer) -> Plan?

  enum Plan: Sendable {
    /// The receiver already has the wanted values.
    case applied
    /// The receiver does not have the settings.
    case refused
    /// The given steps replace the present step.
    case steps([SettingStep])
  }
}

/// A command that changes a setting, and the proof that the receiver has changed the setting.
struct SettingCommand: Sendable {
  var sentences: [String]
  var proof: Proof

  enum Proof: Sendable {
    /// The receiver's answer proves or disproves the change. The closure returns nil for a sentence that does not
    /// answer the command.
    case answer(@Sendable (ReceiverAnswer) -> Verdict?)
    /// The sentences in the receiver's later output prove the change. The key is a setting, and the value is the
    /// sentence type that must be present or absent.
    case sentences([ReceiverSetting: Expectation])
    /// The rate of the positions proves the change. The value is the wanted period in milliseconds.
    case period(Int)
  }

  struct Expectation: Sendable {
    var type: SentenceType
    var isSent: Bool
  }

  enum Verdict: Sendable {
    case accepted
    case refused
    /// The receiver is busy, or still has another value than the wanted value.
    case notYet
  }
}

/// The counts of NMEA sentences from the receiver, by type.
package struct SentenceCounts: Hashable, Sendable {
  private var counts: [SentenceType: Int] = [:]

  package init(_ statistics: Statistics) {
    for type in SentenceType.allCases { counts[type] = statistics.count(of: type) }
  }

  init(_ counts: [SentenceType: Int] = [:]) { self.counts = counts }

  func count(of type: SentenceType) -> Int { counts[type] ?? 0 }

  /// The count of positions from the receiver: the largest of the counts of GGA, RMC, GLL and GNS sentences, because
  /// one position can be in several of them.
  var positions: Int { [SentenceType.gga, .rmc, .gll, .gns].map(count(of:)).max() ?? 0 }

  static func - (left: SentenceCounts, right: SentenceCounts) -> SentenceCounts {
    SentenceCounts(left.counts.merging(right.counts) { $0 - $1 })
  }
}
