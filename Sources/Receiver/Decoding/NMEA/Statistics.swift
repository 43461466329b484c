/// The counts of a decoder's input and results since the decoder was created.
public struct Statistics: Sendable {
  /// The count of bytes that the decoder has received.
  public internal(set) var bytes = 0
  /// The count of bytes that belong to no frame (an NMEA sentence or a binary message).
  public internal(set) var skippedBytes = 0
  /// The count of valid NMEA sentences whose type the decoder uses.
  public internal(set) var sentences = 0
  /// The count of valid NMEA sentences whose type the decoder does not use.
  public internal(set) var ignoredSentences = 0
  /// The count of frames of the u-blox protocol UBX with a correct checksum.
  public internal(set) var ubxFrames = 0
  /// The count of RTCM 3 frames with a correct checksum.
  public internal(set) var rtcm3Frames = 0
  /// The count of epochs (all data of one instant) that the decoder has emitted, with or without a position.
  public internal(set) var epochs = 0
  /// The count of emitted epochs (data sets of one instant) with a position.
  public internal(set) var fixes = 0
  /// The count of late NMEA sentences, which the decoder ignores. A sentence is late if the decoder has already
  /// returned the data of the same instant.
  public internal(set) var lateSentences = 0

  /// The counts of NMEA sentences. Each row stands for a talker (the sender) in `Talker.known`, and the last row for
  /// all other talkers. Each column stands for a sentence type.
  private var counts = [Int](repeating: 0, count: (Talker.known.count + 1) * Statistics.types)
  private static let types = SentenceType.allCases.count
  private var otherTalkers: [Talker: Int] = [:]
  private var ignored: [String: Int] = [:]
  private var errors: [NMEAError.Cause: Int] = [:]
  private var faults: [FieldFault: Int] = [:]

  /// The maximum count of different names of talkers (senders) or sentence types in the statistics. Noise can produce
  /// any number of names.
  private static let maximumNames = 64

  /// Creates statistics in which every count is 0.
  public init() {}

  mutating func count(_ type: SentenceType, from talker: Talker) {
    sentences &+= 1
    let row = talker.knownIndex ?? Talker.known.count
    counts[row * Statistics.types + type.rawValue] &+= 1
    guard row == Talker.known.count, otherTalkers[talker] != nil || otherTalkers.count < Statistics.maximumNames else {
      return
    }
    otherTalkers[talker, default: 0] += 1
  }

  mutating func countIgnored(_ address: String) {
    ignoredSentences &+= 1
    guard ignored[address] != nil || ignored.count < Statistics.maximumNames else { return }
    ignored[address, default: 0] += 1
  }

  mutating func count(_ error: NMEAError) {
    errors[error.cause, default: 0] &+= 1
    switch error {
    case .invalidField(let type, let field): faults[FieldFault(type, field, discardsSentence: true), default: 0] += 1
    case .fieldCount(let type, _): faults[FieldFault(type, nil, discardsSentence: true), default: 0] += 1
    default: break
    }
  }

  /// Counts the malformed fields of an NMEA sentence that is valid otherwise. `fields` is a bit mask, as in
  /// `Fields.unreadable`.
  mutating func countUnreadable(_ type: SentenceType, _ fields: UInt32) {
    for field in 0..<32 where fields & 1 &<< UInt32(field) != 0 {
      faults[FieldFault(type, field, discardsSentence: false), default: 0] += 1
    }
  }

  /// The malformed fields with the count of each. Only NMEA sentences with a correct checksum count. The largest count
  /// is first.
  public var fieldFaults: [(fault: FieldFault, count: Int)] {
    faults.map { (fault: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.fault.description) < ($0.count, $1.fault.description) }
  }

  /// Returns the count of NMEA sentences of one type, from all talkers (senders) together.
  public func count(of type: SentenceType) -> Int {
    (0...Talker.known.count).reduce(0) { $0 + counts[$1 * Statistics.types + type.rawValue] }
  }

  /// Returns the count of NMEA sentences of one type from one talker (the sender); 0 if the talker is not in
  /// `Talker.known`.
  public func count(of type: SentenceType, from talker: Talker) -> Int {
    talker.knownIndex.map { counts[$0 * Statistics.types + type.rawValue] } ?? 0
  }

  /// Returns the count of text lines and binary frames with the given error.
  public func count(of cause: NMEAError.Cause) -> Int {
    errors[cause] ?? 0
  }

  /// The count of invalid text lines and binary frames.
  public var errorCount: Int { errors.values.reduce(0, +) }

  /// The talkers (senders) of NMEA sentences, each with its count of sentences. The largest count is first.
  public var talkers: [(talker: Talker, count: Int)] {
    var rows = Talker.known.enumerated().map { row, talker in
      (talker: talker, count: (0..<Statistics.types).reduce(0) { $0 + counts[row * Statistics.types + $1] })
    }
    rows += otherTalkers.map { (talker: $0.key, count: $0.value) }
    return rows.filter { $0.count > 0 }.sorted { ($1.count, $0.talker.code) < ($0.count, $1.talker.code) }
  }

  /// The unsupported sentence types, each with its count of sentences. A type is the first eight characters of a
  /// sentence's address (the text before the first comma). The largest count is first.
  public var ignoredAddresses: [(address: String, count: Int)] {
    ignored.map { (address: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.address) < ($0.count, $1.address) }
  }
}

/// An error in one field of an NMEA sentence with a correct checksum.
public struct FieldFault: Hashable, Sendable, CustomStringConvertible {
  /// The type of the NMEA sentence that contains the field.
  public let type: SentenceType
  /// The number of the field, from 1 as in the standard, at most 31; nil if the NMEA sentence has too few fields.
  public let field: Int?
  /// Whether the decoder ignored the whole NMEA sentence, and not only the field. The decoder needs the time, the
  /// position and its validity.
  public let discardsSentence: Bool

  init(_ type: SentenceType, _ field: Int?, discardsSentence: Bool) {
    self.type = type
    self.field = field.map { min($0, 31) }
    self.discardsSentence = discardsSentence
  }

  public var description: String { field.map { "\(type) field \($0)" } ?? "\(type) with too few fields" }

  /// The error as one word, for example `GGA.13` for field 13 of a GGA sentence. If the sentence has too few fields,
  /// the word is only the type.
  package var name: String {
    let type = String(self.type.description.map { $0 == "," ? "-" : $0 })
    return field.map { "\(type).\($0)" } ?? type
  }
}
