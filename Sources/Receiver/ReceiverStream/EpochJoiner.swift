import Clocks
import GNSS
import NMEA
import UBX

/// A joiner of two sources of epochs: the sentences and NAV-PVT. The result is one epoch for each instant. If both
/// sources describe the same instant, the data of NAV-PVT has priority.
///
/// The sentences of the same instant add the data that NAV-PVT does not contain: error statistics, dilutions and
/// satellites. As long as NAV-PVT messages arrive, an epoch from sentences waits for the NAV-PVT of the same instant.
/// This NAV-PVT may arrive before or after the sentences. If this NAV-PVT does not arrive, the joiner emits the epoch
/// from sentences alone. The joiner emits no instant twice.
struct EpochJoiner: Sendable {
  private(set) var binary: UBXEpochAssembler
  /// The epochs that are ready for the output, oldest first.
  private(set) var ready: [Epoch] = []
  private(set) var frameErrors = 0

  private var completed: [Epoch] = []
  /// An epoch from sentences that waits for NAV-PVT.
  private var waiting: Epoch?
  /// An epoch from sentences, with an earlier time than the previous epoch. The joiner holds this epoch back if no
  /// NAV-PVT has arrived so far. The next epoch shows the cause: either the time of the held epoch is wrong, or the
  /// receiver has set its clock back.
  private var held: Epoch?
  /// The times of the last four emitted epochs, in nanoseconds since midnight. The value -1 stands for no epoch.
  private var handedOver = InlineArray<4, Int64>(repeating: -1)
  private var next = 0
  /// Whether the last epoch that was emitted came from NAV-PVT and had no time.
  private var lastIsTimelessBinary = false
  /// The number of instants for which sentences arrived but no NAV-PVT, counted since the latest NAV-PVT; nil before
  /// the first NAV-PVT.
  private var missed: Int?
  /// The satellites that the latest epoch from sentences contained. Epochs without satellites do not change this value.
  private var told: [Satellite] = []

  /// The maximum difference between two times of the same instant, in nanoseconds. The times of NAV-PVT have
  /// nanoseconds. The times of sentences have only hundredths or tenths of a second. With a larger tolerance, two
  /// consecutive epochs could count as one instant if the receiver sends 100 epochs per second.
  private static let tolerance: Int64 = 10_000_000
  private static let patience = 3

  init(_ configuration: NMEAConfiguration) {
    binary = UBXEpochAssembler(
      rolloverFloor: configuration.rolloverFloor, learnsEnd: configuration.learnsEnd, idleGap: configuration.idleGap)
  }

  /// Whether there is an epoch that a silence of the line would emit.
  var awaitsEnd: Bool { waiting != nil || binary.awaitsEnd }

  private var isBinary: Bool { missed.map { $0 < EpochJoiner.patience } ?? false }

  mutating func removeFirstReady() -> Epoch? {
    ready.isEmpty ? nil : ready.removeFirst()
  }

  /// Processes a UBX frame.
  mutating func process(
    _ identifier: UBXIdentifier, _ payload: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant
  ) {
    do throws(UBXError) {
      if try binary.process(identifier, payload, began: began, ended: ended, into: &completed) { missed = 0 }
    } catch {
      frameErrors &+= 1
    }
    joinCompleted()
  }

  /// Whether no NAV-PVT has arrived so far. In this case epochs from sentences do not wait.
  var hasOnlySentences: Bool { missed == nil }

  /// Processes an epoch from sentences while no NAV-PVT has arrived. The function does not copy the epoch.
  ///
  /// - Returns: Whether the caller must pass the epoch to the output. Before this epoch, the caller must pass the
  ///   epochs in `ready` to the output.
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

  /// Processes an epoch from sentences.
  mutating func process(_ epoch: Epoch) {
    note(satellites: epoch.satellites)
    if wasHandedOver(epoch) || isOlder(epoch) { return }
    // If an epoch from sentences has no time, the joiner cannot match this epoch with an epoch from NAV-PVT. NAV-PVT
    // reports the same instants as the sentences. So the joiner drops the epoch.
    if isBinary, lastIsTimelessBinary || epoch.timeOfDay == nil {
      missed? += 1
      return
    }
    if binary.awaitsEnd, isBehind(epoch) {
      // The open epoch from NAV-PVT belongs to an earlier instant. Sentences of a later instant have arrived, so the
      // open epoch will receive no more messages.
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

  /// Handles a silence of the line or the end of the input: emits the open epoch and the waiting epoch.
  mutating func silence() {
    binary.silence(into: &completed)
    joinCompleted()
    flush()
  }

  private mutating func joinCompleted() {
    guard !completed.isEmpty else { return }
    for index in completed.indices { join(completed[index]) }
    completed.removeAll(keepingCapacity: true)
  }

  private mutating func join(_ solution: Epoch) {
    var solution = solution
    if let epoch = waiting, EpochJoiner.isSame(epoch.timeOfDay, solution.timeOfDay) {
      waiting = nil
      EpochJoiner.complete(&solution, with: epoch)
    } else {
      flush()
      // An epoch of this instant may have been emitted before. There are two possible causes: the sentences of this
      // instant arrived before the first NAV-PVT, or this NAV-PVT is a repetition.
      if wasHandedOver(solution) { return }
    }
    if solution.satellites.isEmpty { solution.satellites = told }
    handOver(solution, isBinary: true)
  }

  /// Emits the waiting epoch from sentences, because its NAV-PVT did not arrive.
  private mutating func flush() {
    guard let epoch = waiting else { return }
    waiting = nil
    missed? += 1
    handOver(epoch, isBinary: false)
  }

  /// Copies the satellites into a separate list. So the decoder can reuse the list in its epoch without a new
  /// allocation.
  private mutating func note(satellites: [Satellite]) {
    if satellites.isEmpty { return }
    told.removeAll(keepingCapacity: true)
    told.append(contentsOf: satellites)
  }

  private mutating func handOver(_ epoch: Epoch, isBinary: Bool) {
    note(epoch, isBinary: isBinary)
    ready.append(epoch)
  }

  private mutating func note(_ epoch: borrowing Epoch, isBinary: Bool) {
    if epoch.startsSequence { handedOver = InlineArray(repeating: -1) }
    if let time = epoch.timeOfDay {
      handedOver[next] = time.nanosecondsSinceMidnight
      next = (next + 1) % 4
    }
    lastIsTimelessBinary = isBinary && epoch.timeOfDay == nil
  }

  private func wasHandedOver(_ epoch: borrowing Epoch) -> Bool {
    guard let time = epoch.timeOfDay else { return false }
    for index in 0..<4 where EpochJoiner.isSame(time.nanosecondsSinceMidnight, handedOver[index]) { return true }
    return false
  }

  /// Returns whether the open epoch from NAV-PVT belongs to an earlier instant than the given epoch from sentences.
  private func isBehind(_ epoch: Epoch) -> Bool {
    guard let time = epoch.timeOfDay, let own = binary.timeOfDay else {
      return waiting.map { EpochJoiner.isSame($0.timeOfDay, binary.timeOfDay) } ?? false
    }
    let (next, last) = (time.nanosecondsSinceMidnight, own.nanosecondsSinceMidnight)
    let day: Int64 = 86_400_000_000_000
    return !EpochJoiner.isSame(next, last) && (next - last + day) % day < day / 2
  }

  /// Returns whether a newer epoch was already emitted. In this case the older epoch must not be emitted, because the
  /// times of the output must not decrease. This case occurs if the NAV-PVT of the next instant arrives before the
  /// decoder knows that the sentences of this instant are complete.
  private func isOlder(_ epoch: borrowing Epoch) -> Bool {
    guard !epoch.startsSequence, let time = epoch.timeOfDay?.nanosecondsSinceMidnight else { return false }
    let newest = handedOver[(next + 3) % 4]
    return newest > time && newest - time < 10_000_000_000
  }

  /// Returns whether two times describe the same instant. An unknown time counts as equal to every time.
  private static func isSame(_ first: TimeOfDay?, _ second: TimeOfDay?) -> Bool {
    guard let first, let second else { return true }
    return isSame(first.nanosecondsSinceMidnight, second.nanosecondsSinceMidnight)
  }

  private static func isSame(_ first: Int64, _ second: Int64) -> Bool {
    guard first >= 0, second >= 0 else { return false }
    let day: Int64 = 86_400_000_000_000
    let difference = abs(first - second)
    return min(difference, abs(day - difference)) < tolerance
  }

  private static func complete(_ solution: inout Epoch, with epoch: Epoch) {
    solution.began = min(solution.began, epoch.began)
    solution.ended = max(solution.ended, epoch.ended)
    if solution.timeOfDay == nil {
      solution.timeOfDay = epoch.timeOfDay
      solution.date = epoch.date
      solution.isDateCorrected = epoch.isDateCorrected
    } else if solution.date == nil, epoch.timeOfDay != nil {
      solution.date = epoch.date
      solution.isDateCorrected = epoch.isDateCorrected
    }
    // The receiver's datum applies to all its messages, so the datum also applies to NAV-PVT.
    solution.datumUncertainty = epoch.datumUncertainty
    if solution.coordinate != nil, epoch.coordinate != nil { solution.errorStatistics = epoch.errorStatistics }
    var dilution = solution.dilutionOfPrecision
    dilution.horizontal = dilution.horizontal ?? epoch.dilutionOfPrecision.horizontal
    dilution.vertical = dilution.vertical ?? epoch.dilutionOfPrecision.vertical
    dilution.position = dilution.position ?? epoch.dilutionOfPrecision.position
    solution.dilutionOfPrecision = dilution
  }
}
