/// The mean position of a receiver at rest, and the test whether the receiver is at rest.
///
/// A moving vehicle departs from the mean of its positions. The error of a receiver at rest returns to the mean,
/// although its positions jump. So the distance from the mean is short in comparison with the length of the path along
/// all positions.
struct RestingPosition: Hashable, Sendable {
  private var (average, last) = (Offset.zero, Offset.zero)
  /// The mean speed in m/s along the path from each position to the next position.
  private var pace = 0.0
  private var lasted = 0.0
  /// The mean position in metres; nil if the receiver moves, or has not been at rest long enough for a mean.
  private(set) var mean: Offset?

  /// Adds a measured position. `speed` is the speed in m/s from the receiver, or 0 without a speed.
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

  /// Converts the stored positions to a plane with another origin. `origin` is the new origin, in metres from the old
  /// origin.
  mutating func move(to origin: Offset) {
    (average, last, mean) = (average - origin, last - origin, mean.map { $0 - origin })
  }
}
