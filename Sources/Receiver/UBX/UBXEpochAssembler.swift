public import Clocks
public import GNSS

/// Puts NAV-PVT, NAV-DOP and NAV-SAT of one GPS time of week together to one epoch.
///
/// NAV-PVT makes the epoch: without it there is none, and its satellites and dilutions are those of the others where
/// they came. An epoch is over with NAV-EOE, with the last of the messages that made up the two epochs before it, when
/// another time of week begins, or when the line is silent. A time of week that is repeated is late or stale and begins
/// none. It owns no clock and allocates nothing once its list of satellites is long enough.
public struct UBXEpochAssembler: Sendable {
  /// Which messages made up an epoch.
  private struct Messages: OptionSet {
    let rawValue: UInt8
    static let solution = Messages(rawValue: 1)
    static let dilution = Messages(rawValue: 2)
    static let satellites = Messages(rawValue: 4)
  }

  private let rolloverFloor: UTCDate?
  private let learnsEnd: Bool
  private let idleGap: Duration
  private static let rollover = 1024 * 7

  /// Of the epoch at hand, milliseconds; nil where none is open.
  private var timeOfWeek: UInt32?
  private var closedTimeOfWeek: UInt32?
  private var solution: NavPVT?
  private var dilution: NavDOP?
  private var seen: Messages = []
  /// What the last two epochs were made of; nil as long as there were none.
  private var before: (Messages, Messages)?
  private var expected: Messages = []
  private var satellites: [Satellite] = []
  private var epoch = Epoch(began: MonotonicInstant(nanoseconds: 0), ended: MonotonicInstant(nanoseconds: 0))
  /// Messages whose epoch had been handed over, or which repeat one.
  public private(set) var lateMessages = 0

  /// - Parameters:
  ///   - rolloverFloor: dates before this day are moved by 1024 weeks until they are not, and the epoch says so (GPS
  ///     week rollover); nil for replays.
  ///   - learnsEnd: whether an epoch is handed over with the last of the messages that made up those before it.
  ///   - idleGap: how long a silence ends an epoch.
  public init(rolloverFloor: UTCDate?, learnsEnd: Bool = true, idleGap: Duration = .milliseconds(50)) {
    self.rolloverFloor = rolloverFloor
    self.learnsEnd = learnsEnd
    self.idleGap = idleGap
  }

  /// Whether an epoch is at hand that a silence would end.
  public var awaitsEnd: Bool { solution != nil }

  /// When the epoch at hand was measured; nil where none is at hand, or it has no time.
  public var timeOfDay: TimeOfDay? { solution?.timeOfDay }

  /// How long a silence ends the epoch at hand: longer where it is known that more will come.
  public var patience: Duration {
    learnsEnd && !expected.isEmpty ? idleGap * 5 : idleGap
  }

  /// Takes a frame's payload; of messages that are no navigation nothing is taken.
  /// - Parameters:
  ///   - identifier: the frame's class and id.
  ///   - payload: of a frame whose checksum is right.
  ///   - began: when the frame's first byte arrived.
  ///   - ended: when its last did.
  ///   - epochs: where epochs that are complete are appended.
  /// - Returns: whether it was a NAV-PVT.
  /// - Throws: `UBXError` where the payload is not what the message has. Nothing was taken of it then.
  @discardableResult
  public mutating func take(
    _ identifier: UBXIdentifier, _ payload: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant,
    into epochs: inout [Epoch]
  ) throws(UBXError) -> Bool {
    switch identifier {
    case .navPVT:
      let message = try NavPVT(payload)
      if place(.solution, message.timeOfWeek, began, ended, &epochs), solution == nil { solution = message }
    case .navDOP:
      let message = try NavDOP(payload)
      if place(.dilution, message.timeOfWeek, began, ended, &epochs), dilution == nil { dilution = message }
    case .navSAT:
      let time = try NavSAT.read(payload, into: &satellites)
      // Satellites are those in view as of an epoch: late ones are better than older ones.
      _ = place(.satellites, time, began, ended, &epochs)
      swap(&satellites, &epoch.satellites)
    case .navEOE:
      if try UBXMessage.endOfEpoch(payload) == timeOfWeek {
        epoch.ended = ended
        close(&epochs)
      }
      return false
    default: return false
    }
    if timeOfWeek != nil, learnsEnd, !expected.isEmpty, seen.isSuperset(of: expected) { close(&epochs) }
    return identifier == .navPVT
  }

  /// The line is silent, or has ended.
  public mutating func silence(into epochs: inout [Epoch]) {
    close(&epochs)
  }

  /// Whether a message belongs to the epoch at hand, which it may begin.
  private mutating func place(
    _ message: Messages, _ time: UInt32, _ began: MonotonicInstant, _ ended: MonotonicInstant,
    _ epochs: inout [Epoch]
  ) -> Bool {
    if time != timeOfWeek {
      guard time != closedTimeOfWeek else {
        lateMessages &+= 1
        // What comes late is waited for from now on.
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
    if let solution {
      learn()
      write(solution)
      // Half a week back is the end of a week.
      epoch.startsSequence = closedTimeOfWeek.map { $0 > time && $0 - time < 302_400_000 } ?? false
      epochs.append(epoch)
    }
    closedTimeOfWeek = time
    timeOfWeek = nil
    solution = nil
    dilution = nil
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
    epoch.isDateCorrected = false
    correctDate()
    let quality = solution.quality
    let hasFix = quality != .invalid
    let mode: FixMode? = hasFix ? solution.mode : nil
    epoch.coordinate = hasFix ? solution.coordinate : nil
    epoch.quality = quality
    epoch.mode = mode
    epoch.altitude = mode == .threeDimensional ? solution.altitude : nil
    epoch.geoidSeparation = nil
    if hasFix, let height = solution.height, let altitude = solution.altitude {
      // Both are whole millimetres: so is their difference.
      epoch.geoidSeparation = ((height - altitude) * 1000).rounded() / 1000
    }
    epoch.speed = hasFix ? solution.speed : nil
    epoch.horizontalAccuracy = hasFix ? solution.horizontalAccuracy : nil
    epoch.verticalAccuracy = mode == .threeDimensional ? solution.verticalAccuracy : nil
    epoch.speedAccuracy = hasFix ? solution.speedAccuracy : nil
    let knowsCourse = hasFix && solution.courseAccuracy.map { $0 < 180 } ?? false
    epoch.course = knowsCourse ? solution.course : nil
    epoch.courseAccuracy = knowsCourse ? solution.courseAccuracy : nil
    epoch.satellitesUsed = solution.satellitesUsed
    epoch.dilutionOfPrecision = DilutionOfPrecision(
      horizontal: dilution?.horizontal, vertical: dilution?.vertical,
      position: dilution?.position ?? solution.positionDilution)
  }

  private mutating func correctDate() {
    guard let date = epoch.date, let rolloverFloor, date < rolloverFloor else { return }
    // A clock that was never set shows the beginning of GPS time, or of the firmware's: that is no day.
    epoch.date = nil
    guard let solution, solution.quality != .invalid else { return }
    let missing = rolloverFloor.daysSince1970 - date.daysSince1970
    let weeks = (missing + UBXEpochAssembler.rollover - 1) / UBXEpochAssembler.rollover
    epoch.date = UTCDate(daysSince1970: date.daysSince1970 + weeks * UBXEpochAssembler.rollover)
    epoch.isDateCorrected = true
  }
}

extension NavPVT {
  /// As the receiver itself writes it to GGA. (u-blox M8 R27 §31.1.5, "Position fix flags in NMEA")
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
