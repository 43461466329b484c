public import Clocks
public import GNSS

/// Turns a receiver's epochs into fixes: no worse than the receiver's own, and better where it errs by outliers, by noise
/// that it has not filtered and by dropouts; with an accuracy that is true.
///
/// Where nothing speaks against it the receiver's own position passes untouched, since it has filtered already. What the
/// filter cannot see are errors that grow slowly: reflections that last 15 s, and the bias between high buildings.
///
/// Equations, measurements and limits are in the guide `positioning.md`, the numbers in `FilterParameters`.
public struct PositionFilter: Sendable {
  private let parameters: FilterParameters
  private var track: Track?
  private var heights: HeightTrack?
  /// When `heights` was last measured.
  private var heightMoment: Moment?
  private var deviations = RunningMedian()
  /// The latest fix that was measured.
  private var last: Fix?
  /// How far its datum may be off, metres; nil on WGS 84.
  private var datum: Double?

  /// A filter that has seen nothing, with the parameters that were measured to be good.
  public init() { self.init(parameters: .standard) }

  package init(parameters: FilterParameters) { self.parameters = parameters }

  /// The fix of an epoch: measured where it has a position, else coasted; nil where neither can be had.
  public mutating func update(_ epoch: Epoch) -> Fix? {
    guard let measurement = Measurement(epoch), var fix = Fix(measured: epoch) else {
      guard let track else { return nil }
      return coasted(track.moment.seconds(to: Moment(epoch)), time: epoch.time)
    }
    // It teaches nothing about the way: it is none that anybody went, or the receiver's own guess.
    if [.estimated, .manual, .invalid].contains(epoch.quality) { return fix }
    takePosition(measurement, into: &fix, of: epoch)
    takeHeight(measurement.moment, into: &fix)
    (last, datum) = (fix, epoch.datumUncertainty)
    return fix
  }

  /// The fix for an instant at or after the latest measurement's arrival, reckoned from the way so far; nil before the
  /// first measurement, and once the latest is more than 30 s ago.
  public func coast(to instant: MonotonicInstant) -> Fix? {
    guard let track, let last else { return nil }
    let passed = instant - track.moment.arrived
    let time = last.time.map { ClockReading(monotonic: track.moment.arrived, utc: $0).utc(at: instant) }
    return coasted(passed / .seconds(1), time: time)
  }

  /// Standard deviation of the receiver error along one axis, metres.
  private var sigma: Double { max(parameters.leastError, deviations.value ?? 0) }

  private mutating func takePosition(_ measurement: Measurement, into fix: inout Fix, of epoch: Epoch) {
    deviations.add(measurement.deviation)
    let sigma = sigma
    if track?.take(measurement, sigma: sigma, parameters) != true {
      track = Track(measurement, sigma: sigma, after: track, parameters)
    }
    if track?.isCourseWrong == true { (fix.course, fix.courseAccuracy) = (nil, nil) }
    guard let estimate = track?.estimate(after: measurement, parameters) else { return }
    fix.coordinate = estimate.coordinate
    fix.horizontalAccuracy = AccuracyModel.radius(of: estimate.deviation, datum: epoch.datumUncertainty)
  }

  private mutating func takeHeight(_ moment: Moment, into fix: inout Fix) {
    guard let altitude = fix.altitude else { return }
    let deviation = fix.verticalAccuracy ?? AccuracyModel.unknownVerticalDeviation
    let seconds = heightMoment?.seconds(to: moment) ?? .infinity
    if heights?.take(altitude, deviation: deviation, after: seconds, parameters) != true {
      heights = HeightTrack(altitude, deviation: deviation, parameters)
    }
    heightMoment = moment
    guard let estimate = heights?.estimate(deviation: deviation, parameters) else { return }
    fix.altitude = AccuracyModel.rounded(estimate.height)
    if fix.verticalAccuracy != nil { fix.verticalAccuracy = AccuracyModel.roundedUp(estimate.deviation) }
  }

  private func coasted(_ seconds: Double, time: UTCTime?) -> Fix? {
    guard let last, let track = track?.coasted(seconds, sigma: sigma, parameters),
      let estimate = track.estimate(parameters)
    else { return nil }
    var fix = Fix(
      time: time, arrived: last.arrived, coordinate: estimate.coordinate,
      horizontalAccuracy: AccuracyModel.radius(of: estimate.deviation, datum: datum), mode: last.mode)
    fix.isCoasted = true
    fix.quality = .estimated
    track.addMotion(to: &fix)
    if last.mode == .threeDimensional, let heights {
      let deviation = last.verticalAccuracy ?? AccuracyModel.unknownVerticalDeviation
      let estimate = heights.coasted(seconds, deviation: deviation, parameters)
      fix.altitude = AccuracyModel.rounded(estimate.height)
      fix.verticalAccuracy = AccuracyModel.roundedUp(estimate.deviation)
      fix.geoidSeparation = last.geoidSeparation
    }
    return fix
  }
}
