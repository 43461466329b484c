public import Base
public import GNSS

/// A type that combines UBX messages into epochs. An epoch is all data of one instant; its messages have the same GPS
/// time of week.
///
/// An epoch requires NAV-PVT, or the messages that older receivers send instead: NAV-SOL, or NAV-POSLLH and NAV-STATUS.
/// NAV-HPPOSLLH gives the position a higher resolution.
///
/// An epoch ends when NAV-EOE arrives, when all expected message types have arrived, when a message of another instant
/// arrives, or when the receiver pauses. The expected types are those in both previous epochs. A message of an emitted
/// epoch is late. The assembler has no clock.
///
/// HNR-PVT (a position from inertial sensors) with a fix is an epoch of its own. The receiver sends HNR-PVT more often
/// and earlier than NAV-PVT. So the assembler ignores a NAV-PVT if an HNR-PVT of the same or a later time was emitted.
/// The assembler ignores an HNR-PVT without a fix, because NAV-PVT can have a fix earlier.
public struct UBXEpochAssembler: Sendable {
  private struct Messages: OptionSet {
    let rawValue: UInt16
    static let solution = Messages(rawValue: 1)
    static let dilution = Messages(rawValue: 2)
    static let satellites = Messages(rawValue: 4)
    static let olderSolution = Messages(rawValue: 8)
    static let position = Messages(rawValue: 16)
    static let velocity = Messages(rawValue: 32)
    static let status = Messages(rawValue: 64)
    static let time = Messages(rawValue: 128)
    static let leapSeconds = Messages(rawValue: 256)
    static let olderSatellites = Messages(rawValue: 512)
    static let finePosition = Messages(rawValue: 1024)
  }

  private let rolloverFloor: UTCDate?
  private let learnsEnd: Bool
  private let idleGap: Duration
  private static let rollover = 1024 * 7
  /// The duration of a week in milliseconds.
  private static let week: Int64 = 604_800_000

  /// The GPS time of week of the current epoch (all data of one instant) in milliseconds; nil before its first message.
  private var timeOfWeek: UInt32?
  private var closedTimeOfWeek: UInt32?
  /// The GPS time of week of the latest HNR-PVT message in milliseconds; nil before the first. (HNR-PVT is a position
  /// between two NAV-PVT messages.)
  private var highRateTimeOfWeek: UInt32?
  private var solution: NavPVT?
  private var older = OlderSolution()
  /// The position from the message NAV-HPPOSLLH, which has the highest resolution; nil if the current epoch (all data
  /// of one instant) has no such message.
  private var finePosition: NavPOSLLH?
  /// The difference between GPS time and UTC in seconds, from the latest message NAV-TIMEGPS; nil if unknown.
  private var leapSeconds: Int?
  private var dilution: NavDOP?
  private var seen: Messages = []
  /// The message types of the last two epochs (data sets of one instant); nil before the first epoch.
  private var before: (Messages, Messages)?
  private var expected: Messages = []
  private var satellites: [Satellite] = []
  private var epoch = Epoch(began: MonotonicInstant(nanoseconds: 0), ended: MonotonicInstant(nanoseconds: 0))
  /// The count of late messages, which arrived after the data of their instant was complete.
  public private(set) var lateMessages = 0

  /// Creates an assembler without messages.
  /// - Parameters:
  ///   - rolloverFloor: the earliest plausible date. To an earlier date, the assembler adds periods of 1024 weeks (GPS
  ///     week rollover), and sets `Epoch.addedDays`. The value is nil for recordings.
  ///   - learnsEnd: whether the data of an instant is complete as soon as all message types of both previous instants
  ///     have arrived.
  ///   - idleGap: the pause after which the data of an instant is complete.
  public init(rolloverFloor: UTCDate?, learnsEnd: Bool = true, idleGap: Duration = .milliseconds(50)) {
    self.rolloverFloor = rolloverFloor
    self.learnsEnd = learnsEnd
    self.idleGap = idleGap
  }

  /// Whether a pause would complete the current epoch (all data of one instant), because the messages so far contain a
  /// position solution.
  // The getter is mutating, so that it reads the messages in place and does not copy them.
  public var awaitsEnd: Bool { mutating get { solution != nil || older.isComplete } }

  /// The time of day of the current epoch (all data of one instant); nil if unknown.
  public var timeOfDay: TimeOfDay? { (solution ?? combinedSolution)?.timeOfDay }

  private var combinedSolution: NavPVT? { older.combined(leapSeconds: leapSeconds, dilution: dilution) }

  /// The pause that ends the current epoch (all data of one instant). The pause is longer if the assembler knows which
  /// messages to expect.
  public var idleTimeout: Duration {
    learnsEnd && !expected.isEmpty ? idleGap * 5 : idleGap
  }

  /// Adds a UBX message to the epoch (all data of one instant) of the message's time. The function ignores messages
  /// without navigation data.
  /// - Parameters:
  ///   - identifier: the type of the message.
  ///   - payload: the payload of the message.
  ///   - began: the arrival time of the message's first byte.
  ///   - ended: the arrival time of the message's last byte.
  ///   - epochs: the array to which the function appends completed epochs.
  /// - Returns: whether the message is a position solution, or completes a position solution.
  /// - Throws: `UBXError` if the payload does not have the format of the message. The epoch then does not change.
  @discardableResult
  public mutating func process(
    _ identifier: UBXIdentifier, _ payload: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant,
    into epochs: inout [Epoch]
  ) throws(UBXError) -> Bool {
    var isSolution = false
    switch identifier {
    case .navPVT:
      let message = try NavPVT(payload)
      if assign(.solution, message.timeOfWeek, began, ended, &epochs), solution == nil { solution = message }
      isSolution = true
    case .hnrPVT:
      let message = try NavPVT(highRate: payload)
      guard message.quality != .invalid else { return false }
      emit(message, began, ended, &epochs)
      return true
    case .navSOL:
      let message = try NavSOL(payload)
      if assign(.olderSolution, message.timeOfWeek, began, ended, &epochs), older.solution == nil {
        older.solution = message
      }
      isSolution = true
    case .navPOSLLH:
      let message = try NavPOSLLH(payload)
      if assign(.position, message.timeOfWeek, began, ended, &epochs), older.position == nil {
        older.position = message
        isSolution = older.isComplete
      }
    case .navHPPOSLLH:
      let message = try NavPOSLLH(highPrecision: payload)
      if assign(.finePosition, message.timeOfWeek, began, ended, &epochs), finePosition == nil {
        finePosition = message
        older.position = message
        isSolution = older.isComplete
      }
    case .navSTATUS:
      let message = try NavSTATUS(payload)
      if assign(.status, message.timeOfWeek, began, ended, &epochs), older.status == nil {
        older.status = message
        isSolution = older.isComplete
      }
    case .navVELNED:
      let message = try NavVELNED(payload)
      if assign(.velocity, message.timeOfWeek, began, ended, &epochs), older.velocity == nil {
        older.velocity = message
      }
    case .navTIMEUTC:
      let message = try NavTIMEUTC(payload)
      if assign(.time, message.timeOfWeek, began, ended, &epochs), older.time == nil { older.time = message }
    case .navTIMEGPS:
      let message = try NavTIMEGPS(payload)
      _ = assign(.leapSeconds, message.timeOfWeek, began, ended, &epochs)
      leapSeconds = message.leapSeconds ?? leapSeconds
    case .navDOP:
      let message = try NavDOP(payload)
      if assign(.dilution, message.timeOfWeek, began, ended, &epochs), dilution == nil { dilution = message }
    case .navSAT:
      let time = try NavSAT.read(payload, into: &satellites)
      // The satellites of a late message are newer than the satellites of the previous message, so the next epoch uses
      // them.
      _ = assign(.satellites, time, began, ended, &epochs)
      swap(&satellites, &epoch.satellites)
    case .navSVINFO:
      let time = try NavSVINFO.read(payload, into: &satellites)
      // NAV-SAT of the same epoch has the same satellites, and more of them.
      let isFirst = !seen.contains(.satellites) || time != timeOfWeek
      _ = assign(.olderSatellites, time, began, ended, &epochs)
      if isFirst { swap(&satellites, &epoch.satellites) }
    case .navEOE:
      guard payload.count >= 4 else { throw .payloadLength(.navEOE, payload.count) }
      if payload.u4(at: 0) == timeOfWeek {
        epoch.ended = ended
        close(&epochs)
      }
      return false
    default: return false
    }
    if timeOfWeek != nil, learnsEnd, !expected.isEmpty, seen.isSuperset(of: expected) { close(&epochs) }
    return isSolution
  }

  /// Ends the current epoch (all data of one instant) after a pause or at the end of the input, and appends the epoch
  /// to `epochs`.
  public mutating func silence(into epochs: inout [Epoch]) {
    close(&epochs)
  }

  /// Assigns a message to the epoch (all data of one instant) with the same time, or begins a new epoch. Returns false
  /// if the epoch of a late message has already ended.
  private mutating func assign(
    _ message: Messages, _ time: UInt32, _ began: MonotonicInstant, _ ended: MonotonicInstant,
    _ epochs: inout [Epoch]
  ) -> Bool {
    if time != timeOfWeek {
      guard time != closedTimeOfWeek else {
        lateMessages &+= 1
        // After a late message, the assembler waits for messages of this type before it emits an epoch.
        if !seen.contains(message) {
          expected.formUnion(message)
          before?.1.formUnion(message)
        }
        seen.formUnion(message)
        return false
      }
      close(&epochs)
      timeOfWeek = time
      seen = []
      epoch.began = began
    }
    seen.formUnion(message)
    epoch.ended = ended
    return true
  }

  private mutating func close(_ epochs: inout [Epoch]) {
    guard let time = timeOfWeek else { return }
    if var solution = solution ?? combinedSolution {
      if let finePosition { solution.refine(with: finePosition) }
      learn()
      write(solution)
      if self.solution == nil { removeUnknown() }
      epoch.startsSequence = Self.isEarlier(time, than: closedTimeOfWeek)
      if !isCovered(time) { epochs.append(epoch) }
    }
    closedTimeOfWeek = time
    timeOfWeek = nil
    solution = nil
    older = OlderSolution()
    finePosition = nil
    dilution = nil
  }

  /// Appends an HNR-PVT message (a position between two NAV-PVT messages) to `epochs` as an epoch of its own. The
  /// current epoch does not change.
  private mutating func emit(
    _ solution: NavPVT, _ began: MonotonicInstant, _ ended: MonotonicInstant, _ epochs: inout [Epoch]
  ) {
    let open = epoch
    write(solution)
    (epoch.began, epoch.ended, epoch.satellitesUsed) = (began, ended, open.satellitesUsed)
    epoch.startsSequence = Self.isEarlier(solution.timeOfWeek, than: highRateTimeOfWeek)
    highRateTimeOfWeek = solution.timeOfWeek
    epochs.append(epoch)
    epoch = open
  }

  /// Returns whether a position of this or a later time was already emitted from an HNR-PVT message, so that the
  /// NAV-PVT message is obsolete. The receiver sends NAV-PVT less than two seconds after HNR-PVT.
  private func isCovered(_ time: UInt32) -> Bool {
    guard let highRateTimeOfWeek else { return false }
    let later = (Int64(highRateTimeOfWeek) - Int64(time)) % Self.week
    return (later < 0 ? later + Self.week : later) < 2000
  }

  /// Returns whether the GPS time of week went back from `last` to `time`; false if `last` is nil. A step back by half
  /// a week or more means that a new week has begun.
  private static func isEarlier(_ time: UInt32, than last: UInt32?) -> Bool {
    last.map { $0 > time && Int64($0 - time) < week / 2 } ?? false
  }

  private mutating func learn() {
    let last = before?.1
    before = (last ?? seen, seen)
    expected = last.map { $0.intersection(seen) } ?? []
  }
}

extension UBXEpochAssembler {
  private mutating func write(_ solution: NavPVT) {
    epoch.timeOfDay = solution.timeOfDay
    epoch.date = solution.date
    epoch.addedDays = 0
    epoch.isTimeUncertain = !solution.isTimeResolved
    let quality = solution.quality
    correctDate(quality)
    let hasFix = quality != .invalid
    let mode: FixMode? = hasFix ? solution.mode : nil
    epoch.coordinate = hasFix ? solution.coordinate : nil
    epoch.quality = quality
    epoch.mode = mode
    epoch.altitude = mode == .threeDimensional ? solution.altitude : nil
    epoch.geoidSeparation = nil
    if hasFix, let height = solution.height, let altitude = solution.altitude {
      // Both heights are multiples of a millimetre, so the difference is rounded to a millimetre too.
      epoch.geoidSeparation = ((height - altitude) * 1000).rounded() / 1000
    }
    epoch.speed = hasFix ? solution.speed : nil
    epoch.horizontalAccuracy = hasFix ? solution.horizontalAccuracy : nil
    epoch.deniesAccuracy = hasFix && solution.horizontalAccuracy == nil
    epoch.verticalAccuracy = mode == .threeDimensional ? solution.verticalAccuracy : nil
    epoch.speedAccuracy = hasFix ? solution.speedAccuracy : nil
    let knowsCourse = hasFix && solution.courseAccuracy.map { $0 < 180 } ?? false
    epoch.course = knowsCourse ? solution.course : nil
    epoch.courseAccuracy = knowsCourse ? solution.courseAccuracy : nil
    epoch.satellitesUsed = solution.satellitesUsed
    let dilutions = DilutionOfPrecision(
      horizontal: dilution?.horizontal, vertical: dilution?.vertical,
      position: dilution?.position ?? solution.positionDilution)
    epoch.dilutionOfPrecision = hasFix ? dilutions : dilutions.withoutFix
  }

  /// Removes the values that an older receiver did not send, for example the speed. The message NAV-PVT always contains
  /// these values.
  private mutating func removeUnknown() {
    if !older.hasVelocity { (epoch.speed, epoch.course) = (nil, nil) }
    if older.solution == nil { epoch.satellitesUsed = nil }
  }

  private mutating func correctDate(_ quality: FixQuality) {
    if epoch.date?.isPlausible == false { epoch.date = nil }
    guard let date = epoch.date, let rolloverFloor, date < rolloverFloor else { return }
    // A clock that was never set shows the first day of GPS time, or a default date of the firmware.
    epoch.date = nil
    guard quality != .invalid else { return }
    let missing = rolloverFloor.daysSince1970 - date.daysSince1970
    epoch.addedDays =
      (missing + UBXEpochAssembler.rollover - 1) / UBXEpochAssembler.rollover * UBXEpochAssembler.rollover
    epoch.date = UTCDate(daysSince1970: date.daysSince1970 + epoch.addedDays)
  }
}

extension NavPVT {
  /// Replaces the position and its errors with the values of NAV-HPPOSLLH, which has a higher resolution. Without a
  /// position in NAV-HPPOSLLH, the function does not change any value.
  fileprivate mutating func refine(with position: NavPOSLLH) {
    guard let coordinate = position.coordinate else { return }
    self.coordinate = coordinate
    (height, altitude) = (position.height, position.altitude)
    horizontalAccuracy = position.horizontalAccuracy ?? horizontalAccuracy
    verticalAccuracy = position.verticalAccuracy ?? verticalAccuracy
  }

  /// The fix quality that the receiver would write to the NMEA sentence GGA. (u-blox M8 R27 §31.1.5, "Position fix
  /// flags in NMEA")
  var quality: FixQuality {
    guard isFixOK, coordinate != nil else { return .invalid }
    switch fixType {
    case .none, .timeOnly: return .invalid
    case .deadReckoning: return .estimated
    case .twoDimensional, .threeDimensional, .combined: break
    }
    return switch carrierSolution {
    case .fixed: .rtkFixed
    case .float: .rtkFloat
    case .none: isDifferential ? .differential : .autonomous
    }
  }

  var mode: FixMode {
    fixType == .threeDimensional || fixType == .combined ? .threeDimensional : .twoDimensional
  }
}
