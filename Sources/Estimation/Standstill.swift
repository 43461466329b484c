/// Whether the receiver stands still, by its Doppler velocity.
struct Standstill: Hashable, Sendable {
  private var mean = Offset.zero
  private var quiet = 0.0

  /// - Returns: whether it does.
  mutating func add(_ velocity: Offset?, after seconds: Double, _ parameters: FilterParameters) -> Bool {
    guard let velocity else {
      leave()
      return false
    }
    let share = min(1, seconds / parameters.restTime)
    mean = quiet == 0 ? velocity : mean + (velocity - mean) * share
    guard velocity.length < parameters.restMost, mean.length < parameters.restSpeed else {
      quiet = min(quiet, 0)
      if velocity.length >= parameters.restMost { leave() }
      return false
    }
    quiet += seconds
    return quiet >= parameters.restTime
  }

  /// It does not, whatever it seemed.
  mutating func leave() { (mean, quiet) = (.zero, 0) }
}
