import LineProtocol
import Base
import Ports

/// Limits the count of log entries of each app. Only requests and updates without a press of the button count. Each app
/// has its own quota.
struct LogQuota {
  /// The count of one-time requests that an app may make in a burst, and the count per second over a longer time. An
  /// app that needs fixes more often can use `START updates`.
  static let requestsAtOnce = 60
  static let requestsPerSecond = 1.0
  /// The count of log entries that an app may cause in a burst, and the count per day over a longer time.
  static let entriesAtOnce = 10_000
  static let entriesPerDay = 10_000
  /// Fractions of the quota of log entries of an app. The gateway warns the owner when less than `low` is left. The
  /// warning ends when `recovered` is available again.
  static let low = 0.2
  static let recovered = 0.5

  private struct Budget {
    var requests: TokenBucket
    var entries: TokenBucket

    init(at now: MonotonicInstant) {
      requests = TokenBucket(capacity: requestsAtOnce, perSecond: requestsPerSecond, at: now)
      entries = TokenBucket(capacity: entriesAtOnce, perSecond: Double(entriesPerDay) / 86_400, at: now)
    }
  }

  private var budgets: [AppID: Budget] = [:]
  /// The apps about which the owner was warned, and whose quota of log entries had not recovered at their last entry.
  private var low: Set<AppID> = []

  /// Returns the time until an app may cause its next log entry; nil if the app may cause one now.
  /// - Parameter isOnce: Whether the entry is for a one-time request.
  mutating func wait(of app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Duration? {
    var budget = budgets[app] ?? Budget(at: now)
    budget.requests.fill(at: now)
    budget.entries.fill(at: now)
    budgets[app] = budget
    let wait = isOnce ? max(budget.requests.wait, budget.entries.wait) : budget.entries.wait
    return wait > .zero ? wait : nil
  }

  /// Counts one log entry of an app. Returns true if the owner must be warned that the quota is nearly used up. After a
  /// warning, the next one is possible only when the quota has recovered.
  mutating func consume(_ app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Bool {
    var budget = budgets[app] ?? Budget(at: now)
    defer { budgets[app] = budget }
    if isOnce { _ = budget.requests.consume(at: now) }
    _ = budget.entries.consume(at: now)
    if budget.entries.share >= Self.recovered { low.remove(app) }
    return budget.entries.share < Self.low && low.insert(app).inserted
  }

  /// Returns the apps about which the owner was warned and whose quota of log entries has not recovered, sorted.
  func lowApps(at now: MonotonicInstant) -> [AppID] {
    low.filter { app in
      var entries = budgets[app]?.entries
      entries?.fill(at: now)
      return entries.map { $0.share < Self.recovered } ?? false
    }.sorted()
  }
}
