/// The mean position of a receiver at rest. The distances of its positions from the mean are errors.
///
/// A vehicle that moves leaves the mean of its positions. The error of a receiver at rest returns to the mean, although
/// its positions jump: the distance from the mean is short beside the way along all positions.
struct RestingPosition: Hashable, Sendable {
  private var (average, last) = (Offset.zero, Offset.zero)
  /// The mean speed in m/s along the positions.
  private var pace = 0.0
  private var lasted = 0.0
  /// The mean in metres; nil if the receiver moves, or has not been observed for long.
  private(set) var mean: Offset?

  /// Adds a position. The speed is that of the receiver, or 0 if the receiver reports none.
  mutating func add(_ position: Offset, speed: Double, after seconds: Double, _ parameters: FilterParameters) {
    if speed >= parameters.restMost || lasted == 0 { (self, last) = (RestingPosition(), position) }
    lasted += seconds
    let share = seconds / min(lasted, parameters.restMean)
    average = average + (position - average) * share
    pace += ((position - last).length / seconds - pace) * share
    last = position
    let isNear = (position - average).length <= parameters.restReach * pace
    mean = lasted >= parameters.restMean / 2 && isNear ? average : nil
  }

  /// Converts the state to a plane whose origin is at a different point.
  mutating func move(to origin: Offset) {
    (average, last, mean) = (average - origin, last - origin, mean.map { $0 - origin })
  }
}
