import Base
import GNSS

/// A type that combines NMEA sentences and UBX messages into one epoch for each instant. (An epoch is all data of one
/// instant. NAV-PVT is the UBX message with position, velocity and time.)
///
/// The data of NAV-PVT has priority. The sentences of the same instant add error statistics, dilutions of precision and
/// satellites. While NAV-PVT messages arrive, an epoch from sentences waits for the NAV-PVT of its instant. If the
/// NAV-PVT does not arrive, the joiner emits the epoch from sentences alone. Messages of an older receiver may lack the
/// time, so their epoch waits for the sentences of its instant.
struct EpochJoiner: Sendable {
  private var binary: UBXEpochAssembler
  private(set) var ready: [Epoch] = []
  private(set) var frameErrors = 0

  private var completed: [Epoch] = []
  private var waiting: Epoch?
  /// An epoch (all data of one instant) from UBX messages without a time, which waits for NMEA sentences with the time;
  /// nil if there is none.
  private var timeless: Epoch?
  /// Whether an epoch without a time was emitted before its NMEA sentences arrived. (An epoch is all data of one
  /// instant.)
  private var isOvertaken = false
  /// Whether the receiver has sent the UBX message NAV-PVT. If a NAV-PVT has no time, the receiver does not know the
  /// time.
  private var hasNavPVT = false
  /// An epoch (all data of one instant) with an earlier time than the previous epoch; nil if there is none. The next
  /// epoch shows whether the receiver has set its clock back.
  private var held: Epoch?
  /// The times of the latest four emitted epochs (data sets of one instant).
  private var handedOver = InlineArray<4, EpochTime?>(repeating: nil)
  private var next = 0
  /// Whether the latest emitted epoch (all data of one instant) came from UBX messages without a time.
  private var lastIsTimelessBinary = false
  /// The count of instants without the UBX message NAV-PVT, since the latest NAV-PVT; nil before the first NAV-PVT.
  private var missed: Int?
  /// Whether the receiver marked its latest UBX time as uncertain.
  private var isTimeUncertain = false
  /// The satellites from the latest NMEA sentences with satellites.
  private var sentenceSatellites: [Satellite] = []

  /// The maximum difference in nanoseconds between two times of the same instant. NMEA sentences round the time to
  /// hundredths or tenths of a second. A larger tolerance could combine two instants of a receiver with 100
  /// measurements per second.
  fileprivate static let tolerance: Int64 = 10_000_000
  /// The difference in nanoseconds from which an earlier time does not mean an older epoch, because the receiver has set
  /// its clock back.
  fileprivate static let longestStep: Int64 = 10_000_000_000
  private static let maximumMissed = 3

  init(_ configuration: NMEAConfiguration) {
    binary = UBXEpochAssembler(
      rolloverFloor: configuration.rolloverFloor, learnsEnd: configuration.learnsEnd, idleGap: configuration.idleGap)
  }

  /// Returns the pause after which the joiner emits incomplete data; nil without incomplete data.
  /// - Parameter gap: the pause after which data from NMEA sentences no longer waits for a UBX message.
  // The function is mutating, so that it reads the epochs in place and does not copy them.
  mutating func idleTimeout(gap: Duration) -> Duration? {
    if binary.awaitsEnd { return binary.idleTimeout }
    return waiting != nil || timeless != nil ? gap : nil
  }

  private var isBinary: Bool { missed.map { $0 < EpochJoiner.maximumMissed } ?? false }

  mutating func removeFirstReady() -> Epoch? {
    ready.isEmpty ? nil : ready.removeFirst()
  }

  mutating func process(
    _ identifier: UBXIdentifier, _ payload: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant
  ) {
    do throws(UBXError) {
      if try binary.process(identifier, payload, began: began, ended: ended, into: &completed) { missed = 0 }
      if identifier == .navPVT { hasNavPVT = true }
    } catch {
      frameErrors &+= 1
    }
    joinCompleted()
  }

  /// Whether the receiver has never sent the UBX message NAV-PVT, so that data from NMEA sentences need not wait for
  /// this message.
  var hasOnlySentences: Bool { missed == nil }

  /// Records an epoch (all data of one instant) from NMEA sentences, as long as the receiver has not sent the UBX
  /// message NAV-PVT.
  /// - Returns: whether the caller must emit the epoch, after the epochs in `ready`.
  mutating func passes(_ epoch: borrowing Epoch) -> Bool {
    note(satellites: epoch.satellites)
    if wasHandedOver(epoch) || isOlder(epoch) {
      if epoch.startsSequence {
        held = copy epoch
        return false
      }
      guard let first = held else { return false }
      // The receiver has set its clock back, for example by the leap seconds after a cold start. The new times continue
      // from the held epoch.
      handOver(first, isBinary: false)
    }
    held = nil
    note(epoch, isBinary: false)
    return true
  }

  mutating func process(_ epoch: Epoch) {
    note(satellites: epoch.satellites)
    if wasHandedOver(epoch) || isOlder(epoch) { return }
    // An epoch without a time cannot be matched with NAV-PVT. It is dropped, because NAV-PVT reports the same instants.
    if isBinary, epoch.timeOfDay == nil || lastIsTimelessBinary && (hasNavPVT || isOvertaken) {
      isOvertaken = false
      missed? += 1
      return
    }
    if var solution = timeless {
      timeless = nil
      EpochJoiner.complete(&solution, with: epoch)
      handOver(solution, isBinary: true)
      return
    }
    if binary.awaitsEnd, isBehind(epoch) {
      // The sentences of a later instant have arrived, so the open epoch from NAV-PVT is complete.
      binary.silence(into: &completed)
      joinCompleted()
    }
    flush()
    guard isBinary else {
      handOver(epoch, isBinary: false)
      return
    }
    waiting = epoch
  }

  /// Emits all incomplete data, because the receiver has paused or the input has ended.
  mutating func silence() {
    binary.silence(into: &completed)
    joinCompleted()
    flush()
    isOvertaken = false
  }

  private mutating func joinCompleted() {
    guard !completed.isEmpty else { return }
    for index in completed.indices { join(completed[index]) }
    completed.removeAll(keepingCapacity: true)
  }

  private mutating func join(_ solution: Epoch) {
    var solution = solution
    defer { isTimeUncertain = solution.isTimeUncertain }
    if let epoch = waiting, EpochJoiner.isSame(epoch.timeOfDay, solution.timeOfDay) {
      waiting = nil
      EpochJoiner.complete(&solution, with: epoch)
    } else {
      isOvertaken = isOvertaken || timeless != nil
      flush()
      // The epoch was already emitted: its sentences came before the first NAV-PVT, or this NAV-PVT is a repetition.
      if wasHandedOver(solution) { return }
      if solution.timeOfDay == nil, !hasNavPVT {
        timeless = solution
        return
      }
    }
    handOver(solution, isBinary: true)
  }

  /// Emits incomplete data without the missing messages of its instant.
  private mutating func flush() {
    if let solution = timeless {
      timeless = nil
      handOver(solution, isBinary: true)
    }
    guard var epoch = waiting else { return }
    waiting = nil
    missed? += 1
    // The sentences may describe the instant that was emitted last, which had no time.
    if lastIsTimelessBinary { return }
    epoch.isTimeUncertain = epoch.isTimeUncertain || isTimeUncertain
    handOver(epoch, isBinary: false)
  }

  /// Copies satellites to `sentenceSatellites`. The copy reuses the memory of the array.
  private mutating func note(satellites: [Satellite]) {
    if satellites.isEmpty { return }
    sentenceSatellites.removeAll(keepingCapacity: true)
    sentenceSatellites.append(contentsOf: satellites)
  }

  private mutating func handOver(_ epoch: Epoch, isBinary: Bool) {
    note(epoch, isBinary: isBinary)
    ready.append(epoch)
    if isBinary, epoch.satellites.isEmpty { ready[ready.count - 1].satellites = sentenceSatellites }
  }

  private mutating func note(_ epoch: borrowing Epoch, isBinary: Bool) {
    if epoch.startsSequence { handedOver = InlineArray(repeating: nil) }
    if let time = EpochTime(epoch) {
      handedOver[next] = time
      next = (next + 1) % 4
    }
    lastIsTimelessBinary = isBinary && epoch.timeOfDay == nil
  }

  private func wasHandedOver(_ epoch: borrowing Epoch) -> Bool {
    guard let time = EpochTime(epoch) else { return false }
    for index in 0..<4 where handedOver[index]?.isSame(time) == true { return true }
    return false
  }

  private func isBehind(_ epoch: Epoch) -> Bool {
    guard let time = epoch.timeOfDay, let own = binary.timeOfDay else {
      return waiting.map { EpochJoiner.isSame($0.timeOfDay, binary.timeOfDay) } ?? false
    }
    let (next, last) = (time.nanosecondsSinceMidnight, own.nanosecondsSinceMidnight)
    return !EpochJoiner.isSame(next, last) && dayDifference(last, next) > 0
  }

  /// Returns whether an epoch (all data of one instant) is older than the latest emitted epoch. The joiner drops such
  /// an epoch, because the emitted times must not decrease.
  private func isOlder(_ epoch: borrowing Epoch) -> Bool {
    guard !epoch.startsSequence, let time = EpochTime(epoch), let newest = handedOver[(next + 3) % 4] else {
      return false
    }
    return newest.isLater(than: time)
  }

  /// Returns whether two times of day mean the same instant. The result is true if a time is unknown.
  private static func isSame(_ first: TimeOfDay?, _ second: TimeOfDay?) -> Bool {
    guard let first, let second else { return true }
    return isSame(first.nanosecondsSinceMidnight, second.nanosecondsSinceMidnight)
  }

  private static func isSame(_ first: Int64, _ second: Int64) -> Bool {
    abs(dayDifference(first, second)) < tolerance
  }

  private static func complete(_ solution: inout Epoch, with epoch: Epoch) {
    solution.began = min(solution.began, epoch.began)
    solution.ended = max(solution.ended, epoch.ended)
    if solution.timeOfDay == nil {
      solution.timeOfDay = epoch.timeOfDay
      solution.date = epoch.date
      solution.addedDays = epoch.addedDays
    } else if solution.date == nil, epoch.timeOfDay != nil {
      solution.date = epoch.date
      solution.addedDays = epoch.addedDays
    }
    // The receiver's datum also applies to NAV-PVT.
    solution.datumUncertainty = epoch.datumUncertainty
    if solution.coordinate != nil, epoch.coordinate != nil {
      solution.errorStatistics = epoch.errorStatistics
      // NAV-SOL has no altitude above mean sea level.
      if solution.mode == .threeDimensional, solution.altitude == nil {
        solution.altitude = epoch.altitude
        solution.geoidSeparation = epoch.geoidSeparation
      }
    }
    var dilution = solution.dilutionOfPrecision
    dilution.horizontal = dilution.horizontal ?? epoch.dilutionOfPrecision.horizontal
    dilution.vertical = dilution.vertical ?? epoch.dilutionOfPrecision.vertical
    dilution.position = dilution.position ?? epoch.dilutionOfPrecision.position
    solution.dilutionOfPrecision = dilution
  }
}

private struct EpochTime: Sendable {
  let date: UTCDate?
  let nanoseconds: Int64

  /// Creates the time of an epoch (all data of one instant). Returns nil if the epoch has no time, or repeats an
  /// earlier time.
  init?(_ epoch: borrowing Epoch) {
    guard let time = epoch.timeOfDay, !epoch.repeatsTime else { return nil }
    (date, nanoseconds) = (epoch.date, time.nanosecondsSinceMidnight)
  }

  /// Returns the nanoseconds from this time to another time. If a date is unknown, the result is at most half a day in
  /// either direction.
  private func nanoseconds(to other: EpochTime) -> Int64 {
    guard let date, let later = other.date else { return dayDifference(nanoseconds, other.nanoseconds) }
    let days = Int64(later.daysSince1970 - date.daysSince1970)
    return days * dayLength(with: nanoseconds, other.nanoseconds) + other.nanoseconds - nanoseconds
  }

  func isSame(_ other: EpochTime) -> Bool { abs(nanoseconds(to: other)) < EpochJoiner.tolerance }

  func isLater(than other: EpochTime) -> Bool {
    (1..<EpochJoiner.longestStep).contains(other.nanoseconds(to: self))
  }
}
