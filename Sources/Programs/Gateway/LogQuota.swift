import Authorization
import Clocks
import Ports

/// Limits the number of entries that each app may add to the log of disclosures. The limit applies only to one-time
/// requests and updates that need no press of the button. There is no limit for fixes that a user grants with a press.
/// An app's entries are never removed to make room for the entries of another app.
struct LogQuota {
  /// An app may make at most `requestsAtOnce` one-time requests in a short time, and `requestsPerSecond` on average
  /// over a longer time. An app that needs fixes more often can use `START updates`.
  static let requestsAtOnce = 60
  static let requestsPerSecond = 1.0
  /// An app may add at most `entriesAtOnce` entries in a short time, and `entriesPerDay` on average over a longer time.
  static let entriesAtOnce = 10_000
  static let entriesPerDay = 10_000
  /// The values `low` and `recovered` are fractions of an app's quota. The gateway warns the owner when less than `low`
  /// is left. The warning ends when at least `recovered` is available again.
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

  /// Returns the time until an app may add its next entry; nil if the app may add an entry now.
  ///
  /// - Parameter isOnce: whether the entry is for a one-time request.
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
  /// - Returns: True if the quota is now nearly used up and the owner must be warned. The next warning is possible only
  ///   after the quota has recovered.
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

  /// Returns the apps that have nearly used up their quota.
  func lowApps(at now: MonotonicInstant) -> [AppID] {
    budgets.filter { _, budget in
      var entries = budget.entries
      entries.fill(at: now)
      return budget.isLow && entries.share < Self.recovered
    }.keys.sorted()
  }
}
