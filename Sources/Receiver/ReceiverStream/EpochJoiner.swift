import Clocks
import GNSS
import NMEA
import UBX

/// One epoch for each instant, where sentences and NAV-PVT both describe it: NAV-PVT wins.
///
/// What NAV-PVT does not say is taken from the sentences of the same instant: error statistics, dilutions, satellites.
/// As long as NAV-PVT comes, an epoch of sentences waits for that of its instant, which may come before or after it; it
/// is handed over alone where none came. What was handed over is never handed over again.
struct EpochJoiner: Sendable {
  private(set) var binary: UBXEpochAssembler
  /// Epochs to hand over, in order.
  private(set) var ready: [Epoch] = []
  private(set) var frameErrors = 0

  private var completed: [Epoch] = []
  /// An epoch of sentences that waits for NAV-PVT.
  private var waiting: Epoch?
  /// An epoch of sentences, as long as there is nothing else, that goes back to a time that was handed over: a stray,
  /// or the first of a sequence. The next tells.
  private var held: Epoch?
  /// Times of the last that were handed over, nanoseconds since midnight; -1 is none.
  private var handedOver = InlineArray<4, Int64>(repeating: -1)
  private var next = 0
  /// Whether the last was made by NAV-PVT, and had no time.
  private var lastIsTimelessBinary = false
  /// Epochs of sentences since the last NAV-PVT; nil as long as there was none.
  private var missed: Int?
  /// Satellites as sentences told last.
  private var told: [Satellite] = []

  /// Sentences write hundredths of a second, or tenths; NAV-PVT nanoseconds. Epochs that follow each other at 100 Hz
  /// are as far apart.
  private static let tolerance: Int64 = 10_000_000
  private static let patience = 3

  init(_ configuration: NMEAConfiguration) {
    binary = UBXEpochAssembler(
      rolloverFloor: configuration.rolloverFloor, learnsEnd: configuration.learnsEnd, idleGap: configuration.idleGap)
  }

  /// Whether a silence would hand something over.
  var awaitsEnd: Bool { waiting != nil || binary.awaitsEnd }

  private var isBinary: Bool { missed.map { $0 < EpochJoiner.patience } ?? false }

  mutating func takeReady() -> Epoch? {
    ready.isEmpty ? nil : ready.removeFirst()
  }

  /// A frame of u-blox.
  mutating func take(
    _ identifier: UBXIdentifier, _ payload: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant
  ) {
    do throws(UBXError) {
      if try binary.take(identifier, payload, began: began, ended: ended, into: &completed) { missed = 0 }
    } catch {
      frameErrors &+= 1
    }
    takeCompleted()
  }

  /// Whether there has been nothing but sentences: no epoch of theirs waits for anything.
  var hasOnlySentences: Bool { missed == nil }

  /// Takes an epoch of sentences as long as there is nothing else, without a copy of it. Whether it is to be handed
  /// over, after what is ready.
  mutating func passes(_ epoch: borrowing Epoch) -> Bool {
    note(satellites: epoch.satellites)
    if wasHandedOver(epoch) || isOlder(epoch) {
      if epoch.startsSequence {
        held = copy epoch
        return false
      }
      guard let first = held else { return false }
      // The receiver set its clock back, as by leap seconds after a cold start: it goes on from there.
      handOver(first, isBinary: false)
    }
    held = nil
    note(epoch, isBinary: false)
    return true
  }

  /// An epoch of sentences.
  mutating func take(_ epoch: Epoch) {
    note(satellites: epoch.satellites)
    if wasHandedOver(epoch) || isOlder(epoch) { return }
    // Without times every epoch looks like the last one. NAV-PVT tells of it, as long as it comes.
    if isBinary, lastIsTimelessBinary || epoch.timeOfDay == nil {
      missed? += 1
      return
    }
    if binary.awaitsEnd, isBehind(epoch) {
      // NAV-PVT of the instant before waits for more: these sentences have come, it will not.
      binary.silence(into: &completed)
      takeCompleted()
    }
    flush()
    guard isBinary else {
      handOver(epoch, isBinary: false)
      return
    }
    waiting = epoch
  }

  /// The line is silent, or has ended: nothing more comes of the epochs at hand.
  mutating func silence() {
    binary.silence(into: &completed)
    takeCompleted()
    flush()
  }

  private mutating func takeCompleted() {
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
      // Its sentences came first, before it was known that there is more than sentences; or it is repeated.
      if wasHandedOver(solution) { return }
    }
    if solution.satellites.isEmpty { solution.satellites = told }
    handOver(solution, isBinary: true)
  }

  /// Hands over the sentences whose NAV-PVT did not come.
  private mutating func flush() {
    guard let epoch = waiting else { return }
    waiting = nil
    missed? += 1
    handOver(epoch, isBinary: false)
  }

  /// A copy: the list that the next epoch's are put into again stays its own.
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

  /// Whether NAV-PVT at hand is of an instant before that of an epoch.
  private func isBehind(_ epoch: Epoch) -> Bool {
    guard let time = epoch.timeOfDay, let own = binary.timeOfDay else {
      return waiting.map { EpochJoiner.isSame($0.timeOfDay, binary.timeOfDay) } ?? false
    }
    let (next, last) = (time.nanosecondsSinceMidnight, own.nanosecondsSinceMidnight)
    let day: Int64 = 86_400_000_000_000
    return !EpochJoiner.isSame(next, last) && (next - last + day) % day < day / 2
  }

  /// Whether something newer was handed over already, since NAV-PVT of the next instant came before the sentences of
  /// this one were known to be complete: nobody is led back in time.
  private func isOlder(_ epoch: borrowing Epoch) -> Bool {
    guard !epoch.startsSequence, let time = epoch.timeOfDay?.nanosecondsSinceMidnight else { return false }
    let newest = handedOver[(next + 3) % 4]
    return newest > time && newest - time < 10_000_000_000
  }

  /// Whether epochs of two times describe the same instant. One without a time describes whatever the other does.
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
    // The receiver's setting holds for all that it sends.
    solution.datumUncertainty = epoch.datumUncertainty
    if solution.coordinate != nil, epoch.coordinate != nil { solution.errorStatistics = epoch.errorStatistics }
    var dilution = solution.dilutionOfPrecision
    dilution.horizontal = dilution.horizontal ?? epoch.dilutionOfPrecision.horizontal
    dilution.vertical = dilution.vertical ?? epoch.dilutionOfPrecision.vertical
    dilution.position = dilution.position ?? epoch.dilutionOfPrecision.position
    solution.dilutionOfPrecision = dilution
  }
}
