import Base
public import GNSS

/// A filter that converts the epochs of a receiver (an epoch is all data of one instant) to fixes with a realistic
/// accuracy. The filter removes outliers, reduces noise, and predicts positions while measurements are missing.
///
/// Receivers filter their positions themselves. So the filter returns the receiver's own position unchanged if no
/// measurement contradicts this position. The filter cannot detect errors that increase slowly, for example reflections
/// that last for 15 s, or the bias between high buildings.
///
/// The page `positioning.md` of the documentation contains the equations, measurements and limits. `FilterParameters`
/// contains the constants.
public struct PositionFilter: Sendable {
  private let parameters: FilterParameters
  private var horizontal: HorizontalFilter?
  private var heights: HeightTrack?
  /// The time of the latest measured altitude; nil before the first altitude.
  private var heightMoment: Moment?
  /// The latest fix from a measurement, and the filter state at this fix; nil before the first fix.
  private var last: (fix: Fix, state: FilterState)?
  /// The filter state for the prediction of later positions; nil if the latest data has no measured position.
  package private(set) var state: FilterState?

  /// Creates a filter with the standard constants and without data.
  public init() { self.init(parameters: .standard) }

  package init(parameters: FilterParameters) { self.parameters = parameters }

  /// Adds an epoch (all data of one instant), and returns its fix; nil if no fix is available. For an epoch without a
  /// position, or with an old position that the receiver repeats, the function predicts the position for up to 30 s, and
  /// sets `Fix.isCoasted` (coasted means predicted). Some receivers send each position several times in a second, so a
  /// position that is repeated for less than a second does not count as coasted.
  public mutating func update(_ epoch: Epoch) -> Fix? {
    state = nil
    guard let measurement = Measurement(epoch), var fix = Fix(measured: epoch) else {
      guard let horizontal else { return nil }
      return coasted(horizontal.latest.moment.seconds(to: Moment(epoch)), time: epoch.time)
    }
    // The receiver did not measure positions of these qualities. So these positions give no information about the
    // motion.
    if epoch.quality?.isMeasured == false { return fix }
    if horizontal?.repeats(measurement) == true, let latest = horizontal?.latest {
      let seconds = latest.moment.seconds(to: measurement.moment)
      guard var old = coasted(seconds, time: epoch.time) else { return nil }
      if seconds < 1 {
        (old.isCoasted, old.quality) = (false, fix.quality)
        (old.satellitesUsed, old.dilutionOfPrecision) = (fix.satellitesUsed, fix.dilutionOfPrecision)
      }
      return old
    }
    updatePosition(measurement, of: epoch, in: &fix)
    updateHeight(measurement.moment, in: &fix)
    state?.datum = epoch.datumUncertainty
    last = state.map { (fix, $0) }
    return fix
  }

  private mutating func updatePosition(_ measurement: Measurement, of epoch: Epoch, in fix: inout Fix) {
    var filter = horizontal ?? HorizontalFilter(measurement, parameters)
    horizontal = nil
    let estimate = filter.update(measurement)
    // The measured positions contradict the Doppler velocities. So the fix contains no velocity.
    if !filter.trust.isTrusted {
      (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy) = (nil, nil, nil, nil)
    }
    (horizontal, state) = (filter, filter.state)
    if let coordinate = estimate.coordinate { fix.coordinate = coordinate }
    if AccuracyModel.deniesHorizontal(of: epoch) { return }
    fix.horizontalAccuracy = AccuracyModel.radius(of: estimate.deviation, datum: epoch.datumUncertainty)
  }

  private mutating func updateHeight(_ moment: Moment, in fix: inout Fix) {
    guard let altitude = fix.altitude else { return }
    let deviation = fix.verticalAccuracy ?? AccuracyModel.unknownVerticalDeviation
    let seconds = heightMoment?.seconds(to: moment) ?? .infinity
    if heights?.update(altitude, deviation: deviation, after: seconds, parameters) != true {
      heights = HeightTrack(altitude, deviation: deviation, parameters)
    }
    heightMoment = moment
    guard let estimate = heights?.estimate(deviation: deviation, parameters) else { return }
    fix.altitude = AccuracyModel.rounded(estimate.height)
    if fix.verticalAccuracy != nil { fix.verticalAccuracy = AccuracyModel.roundedUp(estimate.deviation) }
  }

  private mutating func coasted(_ seconds: Double, time: UTCTime?) -> Fix? {
    guard let (last, known) = last, (0...parameters.longestCoasting).contains(seconds),
      let coasted = known.prediction(after: seconds, parameters)
    else { return nil }
    state = known
    // The errors of a prediction are never smaller than the errors of the fix from which the prediction starts.
    var fix = Fix(
      time: time, arrived: last.arrived, coordinate: coasted.coordinate,
      horizontalAccuracy: max(coasted.horizontalAccuracy, last.horizontalAccuracy), mode: last.mode)
    fix.isCoasted = true
    fix.quality = .estimated
    fix.speed = AccuracyModel.rounded(coasted.speed)
    fix.speedAccuracy = AccuracyModel.roundedUp(coasted.velocityDeviation)
    if coasted.speed > coasted.velocityDeviation {
      // A course of almost 360° is rounded to 0°.
      fix.course = AccuracyModel.rounded(coasted.course).truncatingRemainder(dividingBy: 360)
      fix.courseAccuracy = AccuracyModel.roundedUp(min(180, coasted.velocityDeviation / coasted.speed * 180 / .pi))
    }
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
