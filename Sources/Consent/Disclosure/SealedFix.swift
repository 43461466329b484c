package import Base
package import Decoding
import Estimation
import GNSS
package import Hardware
import LineProtocol
import Ports

/// A fix whose position only the Swift module `Disclosure` can read. Other modules can read only its time. All
/// disclosures of a fix share one object.
package final class SealedFix: Sendable {
  let fix: Fix
  /// The satellites in view. Other modules cannot read this property, because the set of visible satellites reveals the
  /// approximate position.
  let satellites: [Satellite]
  /// The state of the position filter at the measurement, for predictions of later positions; nil if the receiver did
  /// not measure the position.
  private let state: FilterState?
  /// The UTC time and the monotonic time of the measurement; nil if the receiver sends no dates.
  private let clock: ClockReading?

  init(_ epoch: ReceiverPipeline.Output) {
    fix = epoch.fix
    satellites = epoch.satellites
    state = epoch.state
    clock = epoch.fix.time.map { ClockReading(monotonic: epoch.began, utc: $0) }
  }

  /// The instant at which the measurement arrived at this machine.
  package var arrived: MonotonicInstant { fix.arrived }

  /// Returns the UTC time of the receiver's clock at an instant; nil if the receiver sends no dates.
  package func utc(at instant: MonotonicInstant) -> UTCTime? { clock?.utc(at: instant) }

  /// The speed over ground in m/s; nil if unknown. If the receiver sends no usable speed, the speed comes from the
  /// latest positions.
  var speed: Double? {
    if let speed = fix.speed { return speed }
    guard let motion = state?.prediction(after: 0), motion.speed > motion.velocityDeviation else { return nil }
    return motion.speed
  }

  var position: SealedPosition { SealedPosition(coordinate: fix.coordinate) }

  /// Returns the fix for an app with full accuracy.
  ///
  /// - Parameter press: The instant at which the user pushed the button down; nil to report the measured position. The
  ///   position filter predicts the position for this instant if the measurement is older (authorization reference, row
  ///   A10).
  func report(disclosed: MonotonicInstant, press: MonotonicInstant? = nil) -> FixReport {
    var report = FixReport(fix, disclosed: disclosed)
    guard let press else { return report }
    report.measured = utc(at: arrived)
    guard arrived <= press,
      let position = state?.prediction(after: (press - arrived) / .seconds(1))
    else { return report }
    report.coordinate = position.coordinate
    // The accuracy of the fix can be worse than that of the filter, for example if the receiver does not know its
    // error.
    report.horizontalAccuracy = max(position.horizontalAccuracy, fix.horizontalAccuracy)
    report.time = utc(at: press)
    return report
  }

  /// Returns the report as JSON, with the satellites for the protocols of gpsd and NMEA.
  func json(_ report: FixReport, for transport: Transport) -> String {
    // The position of a coasted fix was estimated from earlier measurements, without satellites.
    transport.hasSatellites && !fix.isCoasted ? report.json(withSatellites: satellites) : report.json
  }
}

/// A position that other modules can store, but that only the Swift module `Disclosure` can read.
package struct SealedPosition: Sendable {
  let coordinate: Coordinate

  func isFar(_ other: SealedPosition, metres: Int) -> Bool {
    coordinate.flatDistance(to: other.coordinate) >= Double(metres)
  }
}

/// The satellite receiver. Only the Swift module `Disclosure` can read its positions.
///
/// The type is a class, because a structure would copy the large pipeline.
package final class SealedReceiver {
  private var pipeline: ReceiverPipeline
  /// The fix of the receiver's latest epoch (all data of one instant); nil if this epoch has no fix.
  package private(set) var latest: SealedFix?

  /// Creates a receiver without data.
  ///
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
  /// The satellites in view and the quality of the fix, for owners of the gateway. Owners see these values without the
  /// LED and without a log entry, although satellites reveal the approximate position.
  package var sky: ReceiverSky { pipeline.sky }
  /// The time of the receiver's latest epoch (all data of one instant); nil without a valid fix, or if the time is
  /// doubtful. Every module can read the time, because a time is not a location.
  package var time: ReceiverTime? { pipeline.time }
  package var nextDeadline: MonotonicInstant? { pipeline.nextDeadline }
  package var current: ReceiverTotals { pipeline.current }
  package var totals: ReceiverTotals { pipeline.totals }

  /// Begins without earlier data, because the receiver's port was opened or the machine was suspended.
  package func open() { change { $0.open() } }

  package func switchOff() { change { $0.switchOff() } }

  package func lose(cause: String) { change { $0.lose(cause: cause) } }

  /// Processes data from the receiver. Returns whether new results wait, so that the caller must call `advance`,
  /// `drainNotices` or `drainReplies`.
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

  /// Removes the latest fix if the receiver has sent no data for too long. Returns whether this call removed the fix.
  package func pass(to now: MonotonicInstant) -> Bool { change { $0.pass(to: now) } }

  /// Processes the next complete epoch (all data of one instant) of the receiver. Returns false if no complete epoch
  /// waits.
  package func advance(today: UTCDate?) -> Bool { change { $0.advance(today: today) } }

  package var sentenceCounts: SentenceCounts { pipeline.sentenceCounts }

  package func drainReplies() -> [ReceiverMessage] { pipeline.drainReplies() }

  package func drainNotices() -> [ReceiverNotice] { pipeline.drainNotices() }

  private func change<Result>(_ body: (inout ReceiverPipeline) -> Result) -> Result {
    defer { latest = pipeline.latest.map(SealedFix.init) }
    return body(&pipeline)
  }
}
