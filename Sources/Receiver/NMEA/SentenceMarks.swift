import Base
import GNSS

/// The properties of a sentence that identify it and determine its epoch.
struct SentenceMarks: Sendable {
  let type: SentenceType
  let talker: Talker
  /// The time of the measurement in nanoseconds since midnight; -1 if the sentence has no such time.
  let time: Int64
  /// The valid position of the sentence; nil without one.
  let coordinate: Coordinate?
  /// The date and the time of the receiver's clock in nanoseconds since midnight, of a sentence that has no time of a
  /// measurement.
  let date: UTCDate?
  let clock: Int64
  /// The system id (GSA) or the signal id (GSV).
  private let qualifier: UInt64
  private let endsGroup: Bool

  @inline(__always)
  init(
    _ type: SentenceType, _ talker: Talker, time: TimeOfDay? = nil, coordinate: Coordinate? = nil,
    date: UTCDate? = nil, clock: TimeOfDay? = nil, qualifier: Int? = 0, endsGroup: Bool = true
  ) {
    self.type = type
    self.talker = talker
    self.time = time?.nanosecondsSinceMidnight ?? -1
    self.coordinate = coordinate
    self.date = date
    self.clock = clock?.nanosecondsSinceMidnight ?? -1
    self.qualifier = UInt64(truncatingIfNeeded: qualifier ?? 255)
    self.endsGroup = endsGroup
  }

  /// Whether the receiver sends the sentence at times that do not depend on the epochs.
  @inline(__always)
  var isIndependent: Bool {
    switch type {
    case .txt, .hdt, .dtm: true
    default: false
    }
  }

  /// Returns an identifier of the sentence that is the same in every epoch; 0 if the sentence cannot end an epoch.
  /// - Parameter occurrence: The number that distinguishes repeated GSA sentences.
  @inline(__always)
  func signature(occurrence: Int) -> UInt64 {
    guard endsGroup else { return 0 }
    let number = type == .gsa ? UInt64(truncatingIfNeeded: occurrence & 0xFF) : 0
    return number << 40 | UInt64(talker.code) << 24 | qualifier << 8 | UInt64(type.rawValue) + 1
  }
}

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

  /// Whether the set contains navigation data. Satellites and clock data are not navigation data.
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
  /// Whether the type occurs only once in an epoch, so that a second sentence begins the next epoch.
  @inline(__always)
  var occursOnce: Bool {
    switch self {
    case .gga, .rmc, .gll, .gst, .vtg, .zda, .gbs, .pubxPosition, .pubxTime, .positionError: true
    case .gsa, .gsv, .gns, .hdt, .dtm, .txt: false
    }
  }
}
