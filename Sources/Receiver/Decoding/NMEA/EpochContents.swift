import Base
import GNSS

/// The data of one epoch (all data of one instant). If several sentences contain a value, the sentence with the best
/// rank counts.
///
/// The position and the fix status come from GGA, or else from GNS, RMC, GLL or `PUBX,00`, in this order. Speed and
/// course come from RMC, or else from VTG or `PUBX,00`. `SentenceRow` contains these ranks. Of several sentences of one
/// type, the first sentence counts, or the first one with a position if the talkers differ. The error estimates of
/// `PUBX,00`, `PGRME` and `PQTMEPE` count only if GST does not contain them.
struct EpochContents: Sendable {
  struct Lead: Sendable {
    let type: SentenceType
    let talker: Talker
    let position: Coordinate
  }

  /// The rank of a missing value, which is worse (larger) than the rank of every NMEA sentence.
  private static let lastRank = 5

  var types = SentenceSet()
  /// The time of the measurement in nanoseconds since midnight; -1 if unknown.
  var time: Int64 = -1
  var began = MonotonicInstant(nanoseconds: 0)
  var ended = MonotonicInstant(nanoseconds: 0)
  var groupsUsed = 0
  /// The first NMEA sentence of the epoch (all data of one instant) that contains a position; nil before such a
  /// sentence.
  var lead: Lead?
  /// Whether the epoch has the same time as the previous epoch. Some devices repeat a time while their positions
  /// change.
  var isRepetition = false
  /// The first date in the NMEA sentences of the epoch (all data of one instant); nil without a date.
  private(set) var date: UTCDate?
  private(set) var dateTime: TimeOfDay?
  /// Whether the NMEA sentence that contains the date also reports a fix; nil if sentences of this type have no
  /// position.
  private(set) var dateHasFix: Bool?

  private var timeOfDay: TimeOfDay?
  private var clock: TimeOfDay?
  /// The rank of the NMEA sentence that contains the position: 0 for GGA (best) to 4 for `PUBX,00`; 5 without a
  /// position.
  private var positionRank = lastRank
  private var positionTalker: Talker?
  private var coordinate: Coordinate?
  private var quality: FixQuality?
  /// Whether all RMC sentences have the status V; nil without an RMC sentence.
  private var isWarning: Bool?
  private var solutionRank = lastRank
  private var altitude: Double?
  private var geoidSeparation: Double?
  private var satellitesUsed: Int?
  private var horizontalDilution: Double?
  /// Whether the receiver reports that its accuracy is unknown.
  private var deniesAccuracy = false
  private var velocityRank = lastRank
  private var speed: Double?
  private var course: Double?
  private var mode: FixMode?
  private var dilution = DilutionOfPrecision()
  private var errors: ErrorStatistics?
  private var horizontalAccuracy: Double?
  private var verticalAccuracy: Double?

  var hasFix: Bool { coordinate != nil && !isWithheld }
  var hasNavigation: Bool { types.hasNavigation }

  /// Adds the values of an NMEA sentence from the device whose positions the decoder uses.
  mutating func apply(_ sentence: inout Sentence) {
    let role = sentence.role
    timeOfDay = timeOfDay ?? sentence.timeOfDay
    clock = sentence.clockTime ?? clock
    if let rank = role.position {
      position(&sentence, rank: rank)
      if role.traits.contains(.solution) { apply(solution: &sentence, rank: rank) }
    }
    if let rank = role.velocity { velocity(sentence[.speed], sentence[.course], rank: rank) }
    applyAnyDevice(&sentence)
    if role.traits.contains(.errors) { estimate(&sentence) }
  }

  /// Adds the date and the velocity of an NMEA sentence from a second device, whose positions the decoder ignores. This
  /// device may be the only one that sends these values.
  mutating func applyAside(_ sentence: inout Sentence) {
    if sentence.role.velocity != nil, sentence.hasFix ?? true {
      velocity(sentence[.speed], sentence[.course], rank: EpochContents.lastRank - 2)
    }
    applyAnyDevice(&sentence)
  }

  private mutating func applyAnyDevice(_ sentence: inout Sentence) {
    // The first date of an epoch is used.
    if date == nil, let date = sentence.date, let time = sentence.timeOfDay ?? sentence.clockTime {
      (self.date, dateTime, dateHasFix) = (date, time, sentence.hasFix)
    }
    guard sentence.type == .gsa || sentence.type == .pubxPosition else { return }
    if sentence.type == .gsa {
      groupsUsed += 1
      if sentence.deniesAccuracy, sentence.mode != nil { deniesAccuracy = true }
    }
    if let mode = sentence.mode { self.mode = max(self.mode ?? mode, mode) }
    dilution.horizontal = dilution.horizontal ?? sentence[.horizontalDilution]
    dilution.vertical = dilution.vertical ?? sentence[.verticalDilution]
    dilution.position = dilution.position ?? sentence[.positionDilution]
  }

  private mutating func apply(solution sentence: inout Sentence, rank: Int) {
    if sentence.deniesAccuracy, sentence.hasFix ?? true { deniesAccuracy = true }
    guard rank < solutionRank else { return }
    solutionRank = rank
    altitude = sentence[.altitude]
    geoidSeparation = sentence[.geoidSeparation]
    satellitesUsed = sentence[.satellitesUsed].flatMap { Int(exactly: $0) }
    horizontalDilution = sentence[.horizontalDilution]
  }

  /// Adds the error estimates of an NMEA sentence. An estimate of 0 means unknown.
  private mutating func estimate(_ sentence: inout Sentence) {
    if sentence.type == .gst, errors == nil {
      let found = ErrorStatistics(
        latitude: sentence[known: .latitudeError], longitude: sentence[known: .longitudeError],
        altitude: sentence[known: .altitudeError])
      if found != ErrorStatistics() { errors = found }
    }
    guard sentence.hasFix ?? true else { return }
    if sentence.deniesAccuracy { deniesAccuracy = true }
    horizontalAccuracy = horizontalAccuracy ?? sentence[known: .horizontalError]
    verticalAccuracy = verticalAccuracy ?? sentence[known: .verticalError]
  }

  private mutating func position(_ sentence: inout Sentence, rank: Int) {
    if sentence.type == .rmc { isWarning = sentence.isWarning && isWarning != false }
    // A receiver can send one sentence for each of its systems, and only some of these systems have a fix.
    let replacesNone = coordinate == nil && sentence.coordinate != nil && sentence.talker != positionTalker
    guard rank < positionRank || rank == positionRank && replacesNone else { return }
    if rank == positionRank {
      // The other values of the sentence without a position do not count, either.
      solutionRank = EpochContents.lastRank
      if sentence.role.velocity != nil { velocityRank = EpochContents.lastRank }
      if sentence.date != nil { dateHasFix = true }
    }
    (positionRank, positionTalker) = (rank, sentence.talker)
    (coordinate, quality) = (sentence.coordinate, sentence.quality)
  }

  private mutating func velocity(_ speed: Double?, _ course: Double?, rank: Int) {
    if rank > velocityRank {
      // A sentence with a lower priority can add a missing speed or course.
      self.speed = self.speed ?? speed
      self.course = self.course ?? course
    } else if rank < velocityRank {
      velocityRank = rank
      self.speed = speed ?? self.speed
      self.course = course ?? self.course
    }
  }

  /// The maximum age in nanoseconds of an accuracy that counts for a fix without an accuracy of its own.
  private static let longestAccuracy: Int64 = 10_000_000_000

  /// Whether the NMEA sentences contain the accuracy of the position, or report that the accuracy is unknown.
  private var describesAccuracy: Bool {
    horizontalDilution != nil || dilution != DilutionOfPrecision() || errors != nil || horizontalAccuracy != nil
      || deniesAccuracy
  }

  /// Writes the collected values to an epoch (all data of one instant). Without a fix, the function omits values that
  /// require a fix, such as the speed.
  ///
  /// If the NMEA sentences of a fix do not describe its accuracy, the function keeps the accuracy of the previous
  /// epoch. Some receivers send GGA and GSA less often than RMC or GLL.
  /// - Parameters:
  ///   - epoch: the previous epoch, in which the function replaces the values.
  ///   - accuracyTime: the time of the accuracy in `epoch`, in nanoseconds since midnight; -1 without an accuracy.
  // The function is mutating, so that the compiler reads the fields in place and does not copy the value.
  mutating func write(to epoch: inout Epoch, accuracyTime: inout Int64) {
    epoch.began = began
    epoch.ended = ended
    epoch.timeOfDay = timeOfDay ?? clock
    (epoch.repeatsTime, epoch.isTimeUncertain) = (false, false)
    epoch.satellitesUsed = satellitesUsed
    var dilution = self.dilution
    dilution.horizontal = horizontalDilution ?? dilution.horizontal
    let hasFix = hasFix
    epoch.coordinate = hasFix ? coordinate : nil
    epoch.quality = hasFix || coordinate == nil ? quality : .invalid
    // A fix without an altitude is two-dimensional, even if GSA reports three dimensions.
    let mode: FixMode? = hasFix ? (altitude == nil ? .twoDimensional : self.mode ?? .threeDimensional) : nil
    epoch.mode = mode
    epoch.altitude = mode == .threeDimensional ? altitude : nil
    epoch.geoidSeparation = hasFix ? geoidSeparation : nil
    epoch.speed = hasFix ? speed : nil
    epoch.course = hasFix ? course : nil
    let describesAccuracy = describesAccuracy
    if hasFix, !describesAccuracy, accuracyTime >= 0, time >= 0,
      (0...Self.longestAccuracy).contains(dayDifference(accuracyTime, time))
    {
      if mode != .threeDimensional { epoch.verticalAccuracy = nil }
      return
    }
    accuracyTime = hasFix && describesAccuracy ? time : -1
    epoch.dilutionOfPrecision = hasFix ? dilution : dilution.withoutFix
    epoch.deniesAccuracy = hasFix && deniesAccuracy
    epoch.errorStatistics = hasFix ? errors : nil
    let hasHorizontalErrors = errors?.latitude != nil && errors?.longitude != nil
    epoch.horizontalAccuracy = hasFix && !hasHorizontalErrors ? horizontalAccuracy : nil
    epoch.verticalAccuracy = mode == .threeDimensional && errors?.altitude == nil ? verticalAccuracy : nil
  }
}

extension EpochContents {
  /// The horizontal dilution of precision above which a position at 0° N, 0° E is only a placeholder.
  private static let doubtfulDilution = 50.0

  /// Whether the position does not count: the position is a placeholder, or the receiver warns against the position.
  ///
  /// With the NMEA version 2.1, the status V of RMC is the only sign of a u-blox receiver that the position is dead
  /// reckoning outside the limits: GGA has the quality 1. (u-blox ZED-F9P Interface Description, UBX-18010854, position
  /// fix flags in NMEA)
  var isWithheld: Bool { isPlaceholder || isWarning == true && quality?.isMeasured ?? true }

  /// Whether the position is a placeholder that the receiver did not measure. Before the first fix, some devices write
  /// a valid position at 0° N, 0° E, without satellites or with a high dilution of precision.
  ///
  /// At other positions, the count of satellites proves nothing: some receivers write 0 with a measured position.
  /// (gpsd's logs `furuno_gl_ga`, `hemi` and `foretrex-201`)
  private var isPlaceholder: Bool {
    guard let coordinate, coordinate.latitude == 0, coordinate.longitude == 0 else { return false }
    let dilution = horizontalDilution ?? dilution.horizontal ?? Self.doubtfulDilution
    return satellitesUsed ?? 0 == 0 || dilution >= Self.doubtfulDilution
  }
}

/// A set of NMEA sentence types with their talkers. (The talker is the two letters for the sender at the start of a
/// sentence.)
struct SentenceSet: Sendable {
  /// The talkers of each sentence type, stored as one bit for each talker. The index is the raw value of the type.
  private var talkers = InlineArray<16, UInt16>(repeating: 0)
  /// Whether at least one NMEA sentence in the set contains a position, a time or an error estimate.
  private(set) var hasNavigation = false

  mutating func insert(_ role: SentenceRole, from talker: Talker) {
    talkers[role.type.rawValue] |= Self.bit(of: talker)
    if role.traits.contains(.navigation) { hasNavigation = true }
  }

  func contains(_ type: SentenceType) -> Bool { talkers[type.rawValue] != 0 }

  func contains(_ type: SentenceType, from talker: Talker) -> Bool {
    talkers[type.rawValue] & Self.bit(of: talker) != 0
  }

  /// All talkers that do not belong to a satellite receiver have the same bit.
  private static func bit(of talker: Talker) -> UInt16 { 1 << UInt16(talker.knownIndex ?? 15) }
}
