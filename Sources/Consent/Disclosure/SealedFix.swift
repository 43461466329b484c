package import Base
package import Decoding
import Estimation
import GNSS
package import Hardware
import LineProtocol
import Ports

/// A fix whose position only the Swift module `Disclosure` can read. Other modules can read the time of the fix. All
/// disclosures of a fix share one object.
package final class SealedFix: Sendable {
  let fix: Fix
  /// The satellites in view. Other modules cannot read this property, because the set of visible satellites reveals the
  /// approximate position.
  let satellites: [Satellite]
  /// The state of the position filter, which predicts positions after the measurement; nil if the receiver did not
  /// measure the position.
  private let state: FilterState?
  /// The time of the receiver's clock at the measurement; nil if the receiver sends no dates.
  private let clock: ClockReading?

  init(_ epoch: ReceiverPipeline.Output) {
    fix = epoch.fix
    satellites = epoch.satellites
    state = epoch.state
    clock = epoch.fix.time.map { ClockReading(monotonic: epoch.began, utc: $0) }
  }

  /// The instant at which the measurement reached this machine.
  package var arrived: MonotonicInstant { fix.arrived }

  /// Returns the UTC time of the receiver's clock at an instant; nil if the receiver sends no dates.
  package func utc(at instant: MonotonicInstant) -> UTCTime? { clock?.utc(at: instant) }

  var position: SealedPosition { SealedPosition(coordinate: fix.coordinate) }

  /// Returns the fix as an app with full accuracy receives it.
  ///
  /// - Parameter press: The instant at which the user pushed the button down; nil to report the measured position. If
  ///   the measurement is older, the position filter predicts the position, its accuracy and the time for this instant
  ///   (authorization reference, row A10).
  func report(disclosed: MonotonicInstant, press: MonotonicInstant? = nil) -> FixReport {
    var report = FixReport(fix, disclosed: disclosed)
    guard let press else { return report }
    report.measured = utc(at: arrived)
    guard arrived <= press,
      let position = state?.prediction(after: Double((press - arrived).clampedNanoseconds) / 1e9)
    else { return report }
    report.coordinate = position.coordinate
    // The accuracy of the fix can be worse than that of the filter, for example if the receiver does not know its
    // error.
    report.horizontalAccuracy = max(position.horizontalAccuracy, fix.horizontalAccuracy)
    report.time = utc(at: press)
    return report
  }

  /// Returns a report of this fix as JSON. Some transports also get the satellites.
  func json(_ report: FixReport, for transport: Transport) -> String {
    // The position of a coasted fix was estimated from earlier measurements, without satellites.
    transport.hasSatellites && !fix.isCoasted ? report.json(withSatellites: satellites) : report.json
  }
}

/// A position that only the Swift module `Disclosure` can read.
package struct SealedPosition: Sendable {
  let coordinate: Coordinate

  /// Whether the distance to the other position is at least `metres`.
  func isFar(_ other: SealedPosition, metres: Int) -> Bool {
    coordinate.flatDistance(to: other.coordinate) >= Double(metres)
  }
}

/// The satellite receiver, whose positions only the Swift module `Disclosure` can read.
///
/// The type is a class, because a structure would copy the large pipeline.
package final class SealedReceiver {
  private var pipeline: ReceiverPipeline
  /// The fix of the receiver's latest epoch (all data of one instant); nil if this epoch has no fix.
  package private(set) var latest: SealedFix?

  /// - Parameters:
  ///   - isLive: Whether the data come from a receiver now. If false, the data come from a recording or a simulation,
  ///     whose dates may be old.
  ///   - requiresChecksum: Whether to ignore sentences without a checksum.
  ///   - servesUnmeasured: Whether to serve positions that are estimated, simulated, or set by a user.
  ///   - keepsAnswers: Whether to keep the receiver's answers to commands for `drainReplies`.
  package init(isLive: Bool, requiresChecksum: Bool, servesUnmeasured: Bool, keepsAnswers: Bool) {
    pipeline = ReceiverPipeline(
      isLive: isLive, requiresChecksum: requiresChecksum, servesUnmeasured: servesUnmeasured, keepsAnswers: keepsAnswers
    )
  }

  package var condition: ReceiverCondition { pipeline.condition }
  /// The satellites in view and the quality of the fix. Only owners of the gateway see these values, without the LED
  /// and without a log entry, although the satellites reveal the approximate position.
  package var sky: ReceiverSky { pipeline.sky }
  /// The time of the latest receiver epoch; nil if this epoch has no valid fix, or if its time is doubtful. Every
  /// module can read the time, because a time is not a location.
  package var time: ReceiverTime? { pipeline.time }
  package var nextDeadline: MonotonicInstant? { pipeline.nextDeadline }
  package var current: ReceiverTotals { pipeline.current }
  package var totals: ReceiverTotals { pipeline.totals }

  package func open() { change { $0.open() } }

  package func switchOff() { change { $0.switchOff() } }

  package func lose(cause: String) { change { $0.lose(cause: cause) } }

  /// - Returns: Whether the caller must call `advance`, `drainNotices` or `drainReplies`, because new data wait.
  @discardableResult
  package func consume(_ data: ReceiverData) -> Bool {
    switch data {
    case .bytes(let bytes, let arrived):
      return pipeline.consume(bytes, at: arrived)
    case .epoch(let epoch):
      pipeline.consume(epoch)
      return true
    }
  }

  /// - Returns: Whether this call has removed the latest fix, because the receiver has sent no data for too long.
  package func pass(to now: MonotonicInstant) -> Bool { change { $0.pass(to: now) } }

  /// Processes the next complete receiver epoch. Returns false if there was no complete epoch.
  package func advance(today: UTCDate?) -> Bool { change { $0.advance(today: today) } }

  package var sentenceCounts: SentenceCounts { pipeline.sentenceCounts }

  package func drainReplies() -> [ReceiverMessage] { pipeline.drainReplies() }

  package func drainNotices() -> [ReceiverNotice] { pipeline.drainNotices() }

  private func change<Result>(_ body: (inout ReceiverPipeline) -> Result) -> Result {
    defer { latest = pipeline.latest.map(SealedFix.init) }
    return body(&pipeline)
  }
}
