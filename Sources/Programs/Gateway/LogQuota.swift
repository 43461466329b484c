import Authorization
import Clocks
import Ports

/// Limits the entries that each app may add to the log of disclosures without a press, by requests and updates. A fix
/// that a press grants is never limited. The entries of one app are never removed to make room for another app.
struct LogQuota {
  /// The burst of one-time requests, and the sustained rate per second. An app that needs fixes more often can use
  /// `START updates`.
  static let requestsAtOnce = 60
  static let requestsPerSecond = 1.0
  /// The burst of one-time requests and updates, and the sustained rate per day.
  static let entriesAtOnce = 10_000
  static let entriesPerDay = 10_000
  /// The remaining share of the daily quota at which the owner is warned, and the remaining share at which the warning
  /// ends.
  static let low = 0.2
  static let recovered = 0.5

  private struct Budget {
    var requests: TokenBucket
    var entries: TokenBucket
    var isLow = false

    init(at now: MonotonicInstant) {
      requests = TokenBucket(capacity: requestsAtOnce, perSecond: requestsPerSecond, at: now)
      entries = TokenBucket(capacity: entriesAtOnce, perSecond: Double(entriesPerDay) / 86_400, at: now)
    }
  }

  private var budgets: [AppID: Budget] = [:]

  /// Returns the time until an app's next entry is allowed; nil if it is allowed now.
  ///
  /// - Parameter isOnce: whether a one-time request adds the entry.
  mutating func wait(of app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Duration? {
    var budget = budgets[app] ?? Budget(at: now)
    budget.requests.fill(at: now)
    budget.entries.fill(at: now)
    budgets[app] = budget
    let wait = isOnce ? max(budget.requests.wait, budget.entries.wait) : budget.entries.wait
    return wait > .zero ? wait : nil
  }

  /// Counts an entry.
  ///
  /// - Returns: true once when the quota is nearly used up. The owner is then warned.
  mutating func consume(_ app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Bool {
    var budget = budgets[app] ?? Budget(at: now)
    defer { budgets[app] = budget }
    if isOnce { _ = budget.requests.consume(at: now) }
    _ = budget.entries.consume(at: now)
    if budget.isLow, budget.entries.share >= Self.recovered { budget.isLow = false }
    guard !budget.isLow, budget.entries.share < Self.low else { return false }
    budget.isLow = true
    return true
  }

  /// The apps whose quota is nearly used up.
  func lowApps(at now: MonotonicInstant) -> [AppID] {
    budgets.filter { _, budget in
      var entries = budget.entries
      entries.fill(at: now)
      return budget.isLow && entries.share < Self.recovered
    }.keys.sorted()
  }
}
