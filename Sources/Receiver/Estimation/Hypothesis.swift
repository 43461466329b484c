#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The motion between two epochs, as measured by the Doppler velocities of both epochs.
struct DopplerStep: Hashable, Sendable {
  /// The displacement, metres.
  var displacement: Offset
  /// Variance of the displacement along one axis, m².
  var variance: Double
  /// Velocity at the second epoch, m/s.
  var velocity: Offset
  /// Variance of the velocity along one axis, m²/s².
  var velocityVariance: Double
}

/// The difference between a measured position and its prediction.
struct Innovation: Hashable, Sendable {
  /// The difference, metres.
  let offset: Offset
  /// Variances along one axis, m²: of the prediction, and of the measurement.
  let predicted, measured: Double

  /// Variance of the innovation along one axis, m².
  var variance: Double { predicted + measured }

  /// The normalised innovation squared (NIS). Its distribution is chi-square with two degrees of freedom.
  var squared: Double { offset.squared / variance }

  /// Returns twice the negative logarithm of the likelihood, without its constant part. The normalised square is
  /// limited to the gate.
  func cost(gate: Double) -> Double { min(squared, gate) + 2 * log(variance) }
}

/// One hypothesis about the motion: a Kalman filter for position, velocity and receiver error in a plane.
///
/// The state of an axis is [p, v, b]. A measured position is p + b + white noise. The receiver error b is a first-order
/// Gauss–Markov process. Both axes have the same noise, so one covariance serves both. (Y. Bar-Shalom, X. R. Li, T.
/// Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001: chapter 5, and section 6.2.2 for the
/// model of constant velocity)
struct Hypothesis: Hashable, Sendable {
  private(set) var position: Offset
  private(set) var velocity: Offset
  private var error = Offset.zero
  /// The covariance of one axis, in m², m²/s and m²/s².
  private var pp, pv, pb, vv, vb, bb: Double

  /// Variance of the position along one axis, m².
  var positionVariance: Double { pp }
  /// Variance of the velocity along one axis, m²/s².
  var velocityVariance: Double { vv }

  /// Creates a hypothesis from one measured position.
  ///
  /// - Parameters:
  ///   - noise: variance of the measured position without the receiver error, m².
  ///   - sigma: standard deviation of the receiver error, metres.
  ///   - velocityVariance: variance of the velocity along one axis, m²/s².
  init(at position: Offset, velocity: Offset, noise: Double, sigma: Double, velocityVariance: Double) {
    (self.position, self.velocity) = (position, velocity)
    let error = sigma * sigma
    (pp, pv, pb, vv, vb, bb) = (noise + error, 0, -error, velocityVariance, 0, error)
  }

  /// Whether all numbers are finite and the covariance is valid. Hostile input or rounding can violate this.
  var isSound: Bool {
    (position.squared + velocity.squared + error.squared + pp + vv + bb).isFinite
      && pp > 0 && vv > 0 && bb > 0 && pp * vv > pv * pv
      && pb * pb <= pp * bb * (1 + 1e-9) && vb * vb <= vv * bb * (1 + 1e-9)
  }

  // MARK: Prediction

  /// Predicts the state a number of seconds ahead, by constant velocity with white noise as acceleration.
  /// - Parameters:
  ///   - acceleration: power spectral density, m²/s³.
  ///   - error: the receiver error.
  mutating func predict(_ seconds: Double, acceleration: Double, error: ReceiverError) {
    let squared = seconds * seconds
    position = position + velocity * seconds
    pp += seconds * (2 * pv + seconds * vv) + acceleration * squared * seconds / 3
    pb += seconds * vb
    pv += seconds * vv + acceleration * squared / 2
    vv += acceleration * seconds
    forget(error, after: seconds)
  }

  /// Predicts the state by dead reckoning. The Doppler step is the input of the process, and contains no information
  /// about the previous velocity.
  mutating func predict(_ seconds: Double, by step: DopplerStep, error: ReceiverError) {
    (position, velocity) = (position + step.displacement, step.velocity)
    pp += step.variance
    (pv, vv, vb) = (0, step.velocityVariance, 0)
    forget(error, after: seconds)
  }

  private mutating func forget(_ longRun: ReceiverError, after seconds: Double) {
    let kept = decay(after: seconds, time: longRun.time)
    error = error * kept
    (pb, vb, bb) = (kept * pb, kept * vb, kept * kept * bb + (1 - kept * kept) * longRun.sigma * longRun.sigma)
  }

  // MARK: Update

  /// The variance of a predicted measurement, which is position + receiver error, m².
  private var predicted: Double { max(0, pp + 2 * pb + bb) }

  /// Returns the innovation of a measured position whose white noise has the given variance, m².
  func innovation(of measured: Offset, variance: Double) -> Innovation {
    Innovation(offset: measured - position - error, predicted: predicted, measured: variance)
  }

  /// Updates the state with an innovation.
  mutating func update(_ innovation: Innovation) {
    let (p, v, b, variance) = (pp + pb, pv + vb, pb + bb, predicted + innovation.measured)
    let gain = (p: p / variance, v: v / variance, b: b / variance)
    position = position + innovation.offset * gain.p
    velocity = velocity + innovation.offset * gain.v
    error = error + innovation.offset * gain.b
    (pp, pv, pb) = (pp - gain.p * p, pv - gain.p * v, pb - gain.p * b)
    (vv, vb, bb) = (vv - gain.v * v, vb - gain.v * b, bb - gain.b * b)
  }

  /// Updates the state with an innovation whose noise is increased until its normalised square equals the given gate.
  /// The weight of an outlier decreases with its distance.
  mutating func update(_ innovation: Innovation, limitedTo gate: Double) {
    let variance = innovation.offset.squared / gate
    update(Innovation(offset: innovation.offset, predicted: innovation.predicted, measured: variance))
  }

  /// Increases the uncertainty of position and velocity by a constant acceleration that explains an innovation.
  /// Afterwards the normalised square of the innovation equals `usual`.
  mutating func accelerate(toExplain innovation: Innovation, as usual: Double, after seconds: Double) {
    let variance = innovation.offset.squared / usual - innovation.variance
    guard variance > 0 else { return }
    pp += variance
    pv += variance * 2 / seconds
    vv += variance * 4 / (seconds * seconds)
  }

  /// Adopts the position and receiver error of another hypothesis, and keeps the current velocity.
  mutating func adoptPosition(of other: Hypothesis) {
    (position, error, pp, pb, bb) = (other.position, other.error, other.pp, other.pb, other.bb)
    (pv, vb) = (0, 0)
  }

  mutating func set(velocity: Offset) { self.velocity = velocity }

  /// Converts the state to a plane with another origin.
  mutating func move(to origin: Offset) { position = position - origin }
}

/// The long-term receiver error.
struct ReceiverError: Hashable, Sendable {
  /// Standard deviation along one axis, metres, and time constant, seconds.
  let sigma, time: Double
}

/// Returns the remaining share of a quantity after some seconds of exponential decay with a time constant, seconds.
func decay(after seconds: Double, time: Double) -> Double { exp(-seconds / time) }
