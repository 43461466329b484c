import Clocks

/// Alarms that leave a deadline behind them. After a standstill of the machine some may: there is more to do than one
/// does. Without end it is a fault, and must not keep the processor busy: then the next one waits.
struct LateAlarms {
  /// More in a row are a fault.
  static let most = 10
  static let pause: Duration = .seconds(1)

  private var inARow = 0
  private var told: Set<String> = []

  /// An alarm has rung, and everything was done for it.
  /// - Returns: whether the next one is to wait.
  mutating func rang(at now: MonotonicInstant, next: MonotonicInstant?) -> Bool {
    guard let next, next <= now else {
      inARow = 0
      return false
    }
    inARow += 1
    return inARow > Self.most
  }

  /// What is to be told of a deadline that stays behind; nil where it was told before.
  mutating func news(_ source: String) -> String? { told.insert(source).inserted ? source : nil }
}
