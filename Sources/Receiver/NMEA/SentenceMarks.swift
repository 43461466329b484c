import Clocks

/// What places a sentence in an epoch and tells it from others.
struct SentenceMarks: Sendable {
  let type: SentenceType
  let talker: Talker
  /// Nanoseconds since midnight of the measurement, -1 where the sentence does not say.
  let time: Int64
  /// System or signal id, and for a group of sentences whether it is complete.
  private let qualifier: UInt64
  private let endsGroup: Bool

  @inline(__always)
  init(
    _ type: SentenceType, _ talker: Talker, time: TimeOfDay? = nil, qualifier: Int? = 0, endsGroup: Bool = true
  ) {
    self.type = type
    self.talker = talker
    self.time = time?.nanosecondsSinceMidnight ?? -1
    self.qualifier = UInt64(truncatingIfNeeded: qualifier ?? 255)
    self.endsGroup = endsGroup
  }

  /// The receiver sends it when it likes.
  @inline(__always)
  var isApart: Bool {
    switch type {
    case .txt, .acknowledgement, .hdt, .dtm: true
    default: false
    }
  }

  /// What the sentence looks like in every epoch; 0 where it cannot be the last of an epoch. `occurrence` tells
  /// repeated GSA apart.
  @inline(__always)
  func signature(occurrence: Int) -> UInt64 {
    guard endsGroup else { return 0 }
    let number = type == .gsa ? UInt64(truncatingIfNeeded: occurrence & 0xFF) : 0
    return number << 40 | UInt64(talker.code) << 24 | qualifier << 8 | UInt64(type.rawValue) + 1
  }
}

/// Which types of sentence have come.
struct SentenceSet: Sendable {
  private var bits: UInt32 = 0

  @inline(__always)
  mutating func insert(_ type: SentenceType) {
    bits |= 1 &<< UInt32(type.rawValue)
  }

  @inline(__always)
  func contains(_ type: SentenceType) -> Bool {
    bits & 1 &<< UInt32(type.rawValue) != 0
  }

  /// Whether any of them tells of navigation, and not of satellites or the clock alone.
  var hasNavigation: Bool {
    bits & SentenceSet.navigation.bits != 0
  }

  private static let navigation: SentenceSet = {
    var set = SentenceSet()
    for type in [SentenceType.gga, .rmc, .gll, .gns, .gst, .gbs, .pubxPosition, .zda] { set.insert(type) }
    return set
  }()
}

extension SentenceType {
  /// Whether a receiver sends it once in an epoch, so that the next one tells of the next epoch.
  @inline(__always)
  var occursOnce: Bool {
    switch self {
    case .gga, .rmc, .gll, .gst, .vtg, .zda, .gbs, .pubxPosition, .pubxTime: true
    case .gsa, .gsv, .gns, .hdt, .dtm, .txt, .acknowledgement: false
    }
  }
}
