#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether a slow receiver's positions go another way than the course that it says with them.
///
/// Receivers hold the last course, or say any, when they are slow, while their speed is right. What the positions went is
/// compared with what speed and course make of it, and with the speed alone: a course is wrong where the positions go as
/// far as the speed says, but elsewhere. What goes further or less far, or at a leap, is a position's error.
struct CourseCheck: Hashable, Sendable {
  /// Metres gone, by the positions and by speed and course, and the length of that way; what is old fades.
  private var gone = Offset.zero
  private var said = Offset.zero
  private var way = 0.0
  /// Seconds that these are of.
  private var span = 0.0
  /// As the receiver said it, m/s.
  private var last: Offset?
  /// Seconds for which course and positions have contradicted each other, and for which they have agreed again.
  private var contradicted = 0.0
  private var agreed = 0.0
  /// Whether the course is not to be believed.
  private(set) var isWrong = false

  /// Compares from here on; what was found stays.
  mutating func restart() {
    (gone, said, way, span, last) = (.zero, .zero, 0, 0, nil)
    (contradicted, agreed) = (0, 0)
  }

  /// - Parameters:
  ///   - step: from the position before to this one, metres.
  ///   - velocity: as speed and course say it, m/s.
  ///   - seconds: from the position before to this one.
  ///   - white: standard deviation of the white noise, metres.
  ///   - sigma: standard deviation of the receiver error, metres.
  /// - Returns: whether the course has just been found wrong.
  mutating func add(
    _ step: Offset, velocity: Offset?, after seconds: Double, white: Double, sigma: Double,
    _ parameters: FilterParameters
  ) -> Bool {
    let most = (1 + parameters.courseSlack) * (velocity?.length ?? 0) * seconds + parameters.leap * white
    guard let velocity, step.length <= most else {
      restart()
      return false
    }
    let before = last ?? velocity
    let kept = exp(-seconds / parameters.courseTime)
    gone = gone * kept + step
    said = said * kept + (before + velocity) * (seconds / 2)
    way = way * kept + (before.length + velocity.length) * (seconds / 2)
    span = span * kept + seconds
    last = velocity
    guard way <= parameters.slowest * span else {
      restart()
      isWrong = false
      return false
    }
    let memory = parameters.courseTime / (parameters.courseTime + parameters.errorTime)
    let share = parameters.velocityShare * way
    let variance = white * white + memory * sigma * sigma + share * share
    let excess = (gone - said).squared / variance
    if isWrong {
      // What went wrong before says nothing of how it is now.
      guard excess < parameters.courseGate else {
        restart()
        return false
      }
      agreed += seconds
      isWrong = agreed < parameters.courseAgreement
      return false
    }
    let deviation = variance.squareRoot()
    let isAsFar =
      gone.length <= (1 + parameters.courseSlack) * way + deviation
      && gone.length >= parameters.leastGone * way - deviation
    contradicted = excess > parameters.softGate && isAsFar ? contradicted + seconds : 0
    isWrong = contradicted >= parameters.courseContradiction
    return isWrong
  }
}
