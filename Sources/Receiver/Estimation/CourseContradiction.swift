#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether the positions go as far as the Doppler velocities say, but elsewhere: the course is wrong.
///
/// A reflection that grows changes the length of the way as well as its direction. A course that is frozen, mirrored or
/// reversed changes its direction alone.
struct CourseContradiction: Hashable, Sendable {
  /// Metres, with exponential forgetting: way of the positions, way of the velocities, and length of the latter.
  private var measured = Offset.zero
  private var said = Offset.zero
  private var length = 0.0
  /// Seconds for which the contradiction has lasted.
  private var lasted = 0.0

  /// Adds the motion between two epochs, and returns whether the course is wrong.
  /// - Parameters:
  ///   - step: difference of the two positions, metres.
  ///   - before: Doppler velocity at the first epoch, m/s; nil if there is none.
  ///   - after: Doppler velocity at the second epoch, m/s; nil if there is none.
  ///   - sigma: standard deviation of the receiver error, metres.
  mutating func add(
    _ step: Offset, from before: Offset?, to after: Offset?, after seconds: Double, sigma: Double,
    _ parameters: FilterParameters
  ) -> Bool {
    guard let before, let after, seconds <= parameters.longestCourseStep else {
      self = CourseContradiction()
      return false
    }
    let kept = exp(-seconds / parameters.courseTime)
    let way = (before + after) * (seconds / 2)
    measured = measured * kept + step
    said = said * kept + way
    length = length * kept + way.length
    let difference = (measured - said).length
    let isContradiction =
      length > parameters.courseLeast && difference > parameters.courseShare * length
      && difference > parameters.courseSigmas * sigma
      && abs(measured.length - said.length) < parameters.courseSame * length
    lasted = isContradiction ? lasted + seconds : 0
    return lasted >= parameters.courseLasted
  }

  /// Expresses the ways in another plane.
  mutating func turn(_ turned: (Offset) -> Offset) { (measured, said) = (turned(measured), turned(said)) }
}
