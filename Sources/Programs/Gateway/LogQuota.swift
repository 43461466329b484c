import Authorization
import Clocks
import Ports

/// Limits what each app may add to the log of disclosures without a person: requests and updates that need no press. A fix
/// that a press gives is never limited. What an app has added is never removed to make room for another app.
struct LogQuota {
  /// One-time requests at once, and a second after that: an app that wants fixes more often has `START updates`.
  static let requestsAtOnce = 60
  static let requestsPerSecond = 1.0
  /// One-time requests and updates at once, and a day after that.
  static let entriesAtOnce = 10_000
  static let entriesPerDay = 10_000
  /// The share of the day's entries that is left when the owner is warned, and from which on it is well again.
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

  /// Returns how long an app has to wait before its next entry; nil if it need not wait.
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
  /// - Returns: true once, when little is left: then the owner is warned.
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

  /// The apps that have little left.
  func lowApps(at now: MonotonicInstant) -> [AppID] {
    budgets.filter { _, budget in
      var entries = budget.entries
      entries.fill(at: now)
      return budget.isLow && entries.share < Self.recovered
    }.keys.sorted()
  }
}
