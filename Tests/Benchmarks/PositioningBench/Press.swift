import Estimation
import GNSS

/// Fixes that are predicted for the instant of a press, 0 to 0.9 s after the epoch, while the vehicle moves at 5 m/s or
/// more. The first minute is left out, because `hacc` is larger then.
struct Press {
  /// The errors in metres: of the predicted position, and of the fix itself at the same instant.
  private(set) var errors: [Double] = []
  private(set) var kept: [Double] = []
  private(set) var inside = 0

  mutating func add(_ scenario: Scenario, _ receiver: Receiver, _ fault: SpeedFault, seed: UInt64) {
    var random = Random(seed: seed)
    var filter = PositionFilter()
    for (index, point) in fault.applied(to: receiver.track(scenario, seed: seed)).enumerated() {
      let (age, fix) = (random.uniform(0...0.9), filter.update(point.epoch))
      let now = scenario.trajectory.state(at: Double(index) / receiver.rate + age)
      guard index >= 60, let fix, now.speed >= 5, let pressed = filter.state?.prediction(after: age) else { continue }
      let truth = Receiver.coordinate(of: now.position)
      errors.append(Ground.distance(pressed.coordinate, truth))
      kept.append(Ground.distance(fix.coordinate, truth))
      if errors[errors.count - 1] <= pressed.horizontalAccuracy { inside += 1 }
    }
  }
}
