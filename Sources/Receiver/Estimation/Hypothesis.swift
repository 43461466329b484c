#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The motion between two epochs as the Doppler velocities of both measure it.
struct DopplerStep: Hashable, Sendable {
  /// Metres.
  var displacement: Offset
  /// Variance of the displacement along one axis, m².
  var variance: Double
  /// Velocity at the second epoch, m/s, and its variance along one axis, m²/s².
  var velocity: Offset
  var velocityVariance: Double
}

/// The difference between a measured position and its prediction.
struct Innovation: Hashable, Sendable {
  /// Metres.
  let offset: Offset
  /// Variances along one axis, m²: of the prediction, and of the measurement.
  let predicted, measured: Double

  /// Variance of the innovation along one axis, m².
  var variance: Double { predicted + measured }

  /// The normalised innovation squared (NIS). Its distribution is chi-square with two degrees of freedom.
  var squared: Double { offset.squared / variance }
}

/// One hypothesis about the motion: a Kalman filter for position, velocity and receiver error in a plane.
///
/// The state of an axis is [p, v, b]. A measured position is p + b + white noise. The receiver error b is a first-order
/// Gauss–Markov process. Both axes have the same noise, so one covariance serves both. (Y. Bar-Shalom, X. R. Li,
/// T. Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001: chapter 5, and section 6.2.2 for the
/// model of constant velocity)
struct Hypothesis: Hashable, Sendable {
  private(set) var position: Offset
  private(set) var velocity: Offset
  private(set) var error = Offset.zero
  private(set) var covariance: AxisCovariance

  /// A hypothesis that knows one measured position.
  /// - Parameters:
  ///   - noise: variance of the measured position without the receiver error, m².
  ///   - sigma: standard deviation of the receiver error, metres.
  ///   - velocityVariance: m²/s².
  init(at position: Offset, velocity: Offset, noise: Double, sigma: Double, velocityVariance: Double) {
    (self.position, self.velocity) = (position, velocity)
    covariance = AxisCovariance(noise: noise, error: sigma * sigma, velocity: velocityVariance)
  }

  /// Whether all numbers are finite and the covariance is one.
  var isSound: Bool {
    covariance.isSound && position.length.isFinite && velocity.length.isFinite && error.length.isFinite
  }

  /// Predicts the state some seconds ahead. With a Doppler step, the step is the input of the process (dead reckoning).
  /// Without one, the velocity is constant but for white acceleration.
  mutating func predict(_ seconds: Double, by doppler: DopplerStep?, sigma: Double, _ parameters: FilterParameters) {
    let decay = exp(-seconds / parameters.errorTime)
    error = error * decay
    if let doppler {
      position = position + doppler.displacement
      velocity = doppler.velocity
      covariance.predict(
        displacement: doppler.variance, velocity: doppler.velocityVariance, decay: decay, error: sigma * sigma)
    } else {
      position = position + velocity * seconds
      covariance.predict(seconds, acceleration: parameters.acceleration, decay: decay, error: sigma * sigma)
    }
  }

  /// Returns the innovation of a measured position whose white noise has the given variance, m².
  func innovation(of measured: Offset, variance: Double) -> Innovation {
    Innovation(offset: measured - position - error, predicted: covariance.reported, measured: variance)
  }

  /// Updates the state with an innovation.
  mutating func update(_ innovation: Innovation) {
    let gain = covariance.observePosition(variance: innovation.measured)
    position = position + innovation.offset * gain.position
    velocity = velocity + innovation.offset * gain.velocity
    error = error + innovation.offset * gain.error
  }

  /// Updates the state with an innovation whose noise is raised until its normalised square is the given gate: an outlier
  /// pulls less, the further away it is.
  mutating func update(_ innovation: Innovation, limitedTo gate: Double) {
    let variance = innovation.offset.squared / gate
    update(Innovation(offset: innovation.offset, predicted: innovation.predicted, measured: variance))
  }

  /// Adds the acceleration that explains an innovation: its normalised square falls to the given value.
  mutating func accelerate(toExplain innovation: Innovation, as usual: Double, after seconds: Double) {
    let missing = innovation.offset.squared / usual - innovation.predicted - innovation.measured
    guard missing > 0 else { return }
    covariance.addAcceleration(variance: missing * 4 / (seconds * seconds * seconds * seconds), over: seconds)
  }

  /// Takes over the position and receiver error of another hypothesis, and keeps the own velocity.
  mutating func adoptPosition(of other: Hypothesis) {
    (position, error) = (other.position, other.error)
    covariance.adoptPosition(of: other.covariance)
  }

  mutating func set(velocity: Offset) { self.velocity = velocity }

  /// Expresses the state in another plane.
  /// - Parameter origin: the origin of the other plane, as this one sees it.
  mutating func move(to origin: Offset, turned: (Offset) -> Offset) {
    (position, velocity, error) = (turned(position - origin), turned(velocity), turned(error))
  }
}
