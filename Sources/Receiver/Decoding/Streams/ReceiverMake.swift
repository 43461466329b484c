import Base

/// A make of receivers that NMEA sentences configure: a row of the table `ReceiverMake.all`.
///
/// A sentence is written here as its content: the address and the fields, without `$`, checksum and line end.
struct ReceiverMake: Sendable {
  /// The sentences that wake a silent receiver, and that switch GGA and RMC on.
  let wakeUp: [String]
  /// The sentences that request the version, and that make the receiver listen to further commands.
  let identification: [String]
  /// Returns the model if a sentence is the answer of this make to `identification`.
  let model: @Sendable (ReceiverAnswer) -> String?
  /// The beginning of the sentences that the receiver sends after a restart.
  let startSigns: [[String]]
  /// The timeout for an answer.
  let replyTimeout: Duration
  /// Returns the steps that apply settings, in the order of sending.
  let steps: @Sendable (ReceiverSettings) -> [SettingStep]

  /// Returns the make and the model of the receiver that sent a sentence; nil if the sentence is no answer to the
  /// identification of any make.
  static func recognize(_ sentence: ReceiverAnswer) -> (make: ReceiverMake, model: String)? {
    for make in all {
      if let model = make.model(sentence) { return (make, model) }
    }
    return nil
  }

  /// The bytes that request the version from the receivers of all makes.
  static let identificationBytes = bytes(of: all.flatMap(\.identification))

  /// Returns sentences as bytes.
  static func bytes(of sentences: [String]) -> [UInt8] {
    sentences.flatMap { Array("\(NMEAText.sentence($0))\r\n".utf8) }
  }
}

/// The commands that make a sleeping receiver send its position again.
package enum WakeUp {
  /// The wake-up sentences of all makes, less than 300 bytes. A receiver ignores the sentences of other makes.
  package static let bytes = ReceiverMake.bytes(of: ReceiverMake.all.flatMap(\.wakeUp))
}

/// A sentence that the configuration of a receiver needs: an answer to a command, or a text about the firmware. The
/// address of a text has no talker: `TXT`.
///
/// Other sentences, among them all with a position, are no answers. So the gateway, which configures the receiver, never
/// gets a position from it.
package struct ReceiverAnswer: Hashable, Sendable {
  let fields: [String]

  private static let addresses: Set = [
    "PAIR001", "PAIR021", "PAIR067", "PMTK001", "PMTK010", "PMTK514", "PMTK705", "PQTMVERNO", "PQTMCFGMSGRATE",
    "PQTMCFGFIXRATE", "PQTMCFGCNST", "PGRMT",
  ]
  private static let texts = ["SW=", "MO=", "MA="]

  /// Returns nil if the sentence is no answer.
  /// - Parameter content: The address and the fields, without `$`, checksum and line end.
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

  /// Returns the fields after the given first fields; nil if the sentence begins with other fields.
  func rest(after first: String...) -> [String]? {
    fields.starts(with: first) ? Array(fields.dropFirst(first.count)) : nil
  }
}

/// Settings that are applied together, and the ways to apply them.
struct SettingStep: Sendable {
  var settings: [ReceiverSetting]
  /// The request of the present value; nil if the value does not matter.
  var question: SettingQuestion?
  /// The steps that follow if the receiver does not answer the question, or if the settings are refused.
  var otherwise: [SettingStep] = []
  /// The commands that apply the settings. If the receiver refuses a command, the next command is sent. Without a
  /// command, the settings are refused.
  var alternatives: [SettingCommand] = []
  /// The time after the commands in which the receiver restarts.
  var pause = Duration.zero

  /// Returns a step for settings that the make does not have.
  static func refusal(_ settings: [ReceiverSetting]) -> SettingStep { SettingStep(settings: settings) }
}

/// A request of a present value.
struct SettingQuestion: Sendable {
  var sentence: String
  /// Returns the plan for an answer; nil if the sentence is not the answer.
  var plan: @Sendable (ReceiverAnswer) -> Plan?

  enum Plan: Sendable {
    /// The settings have their values already.
    case applied
    /// The receiver does not have the settings.
    case refused
    /// These steps follow instead.
    case steps([SettingStep])
  }
}

/// Sentences that change a setting, and the proof of the change.
struct SettingCommand: Sendable {
  var sentences: [String]
  var proof: Proof

  enum Proof: Sendable {
    /// The receiver answers. The closure returns nil if a sentence is not the answer.
    case answer(@Sendable (ReceiverAnswer) -> Verdict?)
    /// The output has the expected sentences. Each setting has a result of its own.
    case sentences([ReceiverSetting: Expectation])
    /// The receiver sends a position once in so many milliseconds.
    case period(Int)
  }

  struct Expectation: Sendable {
    var type: SentenceType
    var isSent: Bool
  }

  enum Verdict: Sendable {
    case accepted
    case refused
    /// The receiver is busy, or the setting still has another value.
    case notYet
  }
}

/// The numbers of sentences that a receiver has sent, by type.
package struct SentenceCounts: Hashable, Sendable {
  private var counts: [SentenceType: Int] = [:]

  package init(_ statistics: Statistics) {
    for type in SentenceType.allCases { counts[type] = statistics.count(of: type) }
  }

  init(_ counts: [SentenceType: Int] = [:]) { self.counts = counts }

  func count(of type: SentenceType) -> Int { counts[type] ?? 0 }

  /// The number of positions. A receiver that sends several sentences with the position sends each of them once.
  var positions: Int { [SentenceType.gga, .rmc, .gll, .gns].map(count(of:)).max() ?? 0 }

  static func - (left: SentenceCounts, right: SentenceCounts) -> SentenceCounts {
    SentenceCounts(left.counts.merging(right.counts) { $0 - $1 })
  }
}
