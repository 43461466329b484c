package import Clocks
import Estimation
import GNSS
import Glibc
package import Hardware
import LineProtocol
package import ReceiverStream

/// A fix whose position only this module can read. Other modules of the gateway can read only the time of the fix.
package struct SealedFix: Sendable {
  let fix: Fix
  /// The satellites in view. Only this module can read them, because the set of visible satellites reveals the
  /// approximate position.
  let satellites: [Satellite]
  /// The reading of the receiver's clock at this epoch; nil if the receiver sends no dates.
  private let clock: ClockReading?

  init(_ epoch: ReceiverPipeline.Output) {
    fix = epoch.fix
    satellites = epoch.satellites
    clock = epoch.fix.time.map { ClockReading(monotonic: epoch.began, utc: $0) }
  }

  /// The instant at which the measurement reached this machine.
  package var arrived: MonotonicInstant { fix.arrived }

  /// The date of the fix from the receiver; nil if the receiver sends no dates.
  package var date: UTCDate? { fix.time?.date }

  /// Returns the UTC time at an instant, according to the receiver's clock; nil if the receiver sends no dates.
  package func utc(at instant: MonotonicInstant) -> UTCTime? { clock?.utc(at: instant) }

  var place: SealedPlace { SealedPlace(coordinate: fix.coordinate) }

  /// Returns the fix as JSON, for an app with full accuracy.
  func json(disclosed: MonotonicInstant, withSky: Bool) -> String {
    let report = FixReport(fix, disclosed: disclosed)
    // The gateway estimated the position of a coasted fix from earlier measurements, without satellites.
    return withSky && !fix.isCoasted ? report.json(withSatellites: satellites) : report.json
  }
}

/// A position that only this module can read.
package struct SealedPlace: Sendable {
  let coordinate: Coordinate

  /// Whether the distance between this place and `other` is at least `metres`. The calculation treats the earth as a
  /// sphere, with an error of up to 0.6 %.
  func isFar(_ other: SealedPlace, metres: Int) -> Bool {
    let (here, there) = (coordinate, other.coordinate)
    let degree = Double.pi / 180
    let turn = (there.longitude - here.longitude).remainder(dividingBy: 360)
    let east = turn * cos((there.latitude + here.latitude) / 2 * degree)
    let north = there.latitude - here.latitude
    return (east * east + north * north).squareRoot() * 111_000 >= Double(metres)
  }
}

/// The receiver, which outputs sealed positions.
package struct SealedReceiver: Sendable {
  private var pipeline: ReceiverPipeline
  /// The fix of the latest epoch; nil if that epoch has no fix.
  package private(set) var latest: SealedFix?

  /// - Parameters:
  ///   - isLive: Whether the data come from a receiver at this moment. The value is false for recordings and
  ///     simulations, whose dates may be old.
  ///   - requiresChecksum: Whether the receiver ignores sentences without a checksum.
  ///   - servesUnmeasured: Whether to serve positions that the GNSS module did not measure. The module may estimate or
  ///     simulate such a position, or a user may have entered the position as a setting of the module.
  ///   - keepsAnswers: Whether to keep the module's answers to commands until a call of `takeAnswers`.
  package init(isLive: Bool, requiresChecksum: Bool, servesUnmeasured: Bool, keepsAnswers: Bool) {
    pipeline = ReceiverPipeline(
      isLive: isLive, requiresChecksum: requiresChecksum, servesUnmeasured: servesUnmeasured, keepsAnswers: keepsAnswers
    )
  }

  package var condition: ReceiverCondition { pipeline.condition }
  package var sky: ReceiverSky { pipeline.sky }
  package var nextDeadline: MonotonicInstant? { pipeline.nextDeadline }
  package var current: ReceiverTotals { pipeline.current }
  package var totals: ReceiverTotals { pipeline.totals }

  package mutating func open() { change { $0.open() } }

  package mutating func switchOff() { change { $0.switchOff() } }

  package mutating func lose(cause: String) { change { $0.lose(cause: cause) } }

  package mutating func consume(_ data: ReceiverData) {
    switch data {
    case .bytes(let bytes, let arrived): pipeline.consume(bytes, at: arrived)
    case .epoch(let epoch): pipeline.consume(epoch)
    }
  }

  /// - Returns: Whether the receiver has become silent. A receiver is silent if it sent no data for some time before
  ///   this instant.
  package mutating func pass(to now: MonotonicInstant) -> Bool { change { $0.pass(to: now) } }

  /// Processes the next complete epoch.
  ///
  /// - Returns: False if no complete epoch is left.
  package mutating func advance(today: UTCDate?) -> Bool { change { $0.advance(today: today) } }

  package mutating func drainReplies() -> [ReceiverMessage] { pipeline.drainReplies() }

  package mutating func drainNotices() -> [ReceiverNotice] { pipeline.drainNotices() }

  private mutating func change<Result>(_ body: (inout ReceiverPipeline) -> Result) -> Result {
    defer { latest = pipeline.latest.map(SealedFix.init) }
    return body(&pipeline)
  }
}
