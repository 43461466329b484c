/// What of a receiver's noise is white: how far each position lies from where the one before and the way since lead.
///
/// With Doppler that is the first difference less the mean of both velocities (variance 2 σ² an axis), without it the
/// second difference (6 σ²). The median of the lengths is robust against outliers; of a Rayleigh distribution it is
/// 1.1774 σ.
struct WhiteNoise: Sendable {
  private struct Sample: Hashable, Sendable {
    var place: Offset
    var velocity: Offset?
    /// Since the sample before, seconds.
    var after: Double
  }

  private static let least = 5
  /// Samples are taken once a second at most, so that the median is over half a minute at every rate.
  private static let interval = 0.95
  /// Over longer steps, seconds, the differences say more of the motion than of the noise.
  private static let longest = 4.5

  private var before: Sample?
  private var last: Sample
  private var lengths = RunningMedian()
  private var sinceSample = 0.0

  /// - Parameter before: what was learned of the same receiver elsewhere.
  init(at place: Offset, velocity: Offset?, knowing before: WhiteNoise? = nil) {
    if let before { lengths = before.lengths }
    last = Sample(place: place, velocity: velocity, after: 0)
  }

  /// Standard deviation of one axis, metres; nil until it is known.
  var deviation: Double? {
    guard lengths.count >= Self.least, let median = lengths.value else { return nil }
    return median / 1.1774
  }

  mutating func add(_ place: Offset, velocity: Offset?, after seconds: Double) {
    let next = Sample(place: place, velocity: velocity, after: seconds)
    sinceSample += seconds
    if sinceSample >= Self.interval, let length = length(to: next) {
      lengths.add(length)
      sinceSample = 0
    }
    (before, last) = (last, next)
  }

  private func length(to next: Sample) -> Double? {
    guard next.after <= Self.longest else { return nil }
    if let from = last.velocity, let to = next.velocity {
      return (next.place - last.place - (from + to) * (next.after / 2)).length / 2.0.squareRoot()
    }
    guard let before, last.after > 0 else { return nil }
    let ratio = next.after / last.after
    // Intervals that differ much say more of the motion than of the noise.
    guard (0.5...2).contains(ratio) else { return nil }
    let predicted = last.place + (last.place - before.place) * ratio
    return (next.place - predicted).length / 6.0.squareRoot()
  }

  /// What was seen in one plane is seen in another.
  mutating func move(from plane: Plane, by offset: Offset, to other: Plane) {
    func moved(_ sample: Sample) -> Sample {
      Sample(
        place: plane.turned(sample.place - offset, to: other),
        velocity: sample.velocity.map { plane.turned($0, to: other) }, after: sample.after)
    }
    (before, last) = (before.map(moved), moved(last))
  }
}
