#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The turn rate and the acceleration of the vehicle in the latest epochs. While no measurement arrives, the filter
/// predicts the velocity from these two values (coasting).
struct Manoeuvre: Hashable, Sendable {
  /// A speed in m/s. At a lower speed, the direction of a measured velocity consists mostly of noise.
  private static let least = 2.0
  /// The longest step of the numerical integration, in seconds.
  private static let step = 1.0

  /// The turn rate in radians per second. A positive value means a turn from the plane's first axis to its second axis.
  private var turn = 0.0
  /// The acceleration in the direction of motion, in m/s².
  private var push = 0.0

  /// Adds the motion between two epochs.
  mutating func add(_ motion: Motion, _ parameters: FilterParameters) {
    let seconds = motion.seconds
    guard let last = motion.before, let next = motion.after, min(last.length, next.length) > Self.least else {
      (turn, push) = (0, 0)
      return
    }
    let share = min(1, seconds / parameters.manoeuvreMean)
    let angle = atan2(last.x * next.y - last.y * next.x, last.x * next.x + last.y * next.y)
    turn += (angle / seconds - turn) * share
    push += ((next.length - last.length) / seconds - push) * share
  }

  /// Returns the displacement in metres after some seconds without a measurement, and the velocity in m/s at the end of
  /// this time.
  func coasted(_ seconds: Double, from start: Offset, _ parameters: FilterParameters) -> (way: Offset, end: Offset) {
    let speed = start.length
    guard speed > 0 else { return (.zero, .zero) }
    // Fast roads have long bends, and vehicles on these roads do not stop.
    let fastness = max(1, speed / parameters.coastingSpeeds.upperBound)
    let fading = min(parameters.turnTime, parameters.mostTurn * fastness * fastness / max(abs(turn), 1e-6))
    let stopping = parameters.stopTime * fastness * fastness * fastness * fastness
    func velocity(after time: Double) -> Offset {
      let angle = turn * fading * (1 - exp(-time / fading))
      let pushed = max(0, speed + push * parameters.pushTime * (1 - exp(-time / parameters.pushTime)))
      let scale: Double = pushed * exp(-time / stopping) / speed
      let sine: Double = sin(angle) * scale
      let cosine: Double = cos(angle) * scale
      return Offset(x: start.x * cosine - start.y * sine, y: start.x * sine + start.y * cosine)
    }
    let steps = (seconds / Self.step).rounded(.up)
    var way = Offset.zero
    var index = 0.5
    while index < steps {
      way = way + velocity(after: index * seconds / steps) * (seconds / steps)
      index += 1
    }
    return (way, velocity(after: seconds))
  }
}
