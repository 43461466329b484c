import Base
import LineProtocol
import Ports

/// Limits how many log entries each app may cause by requests and updates (repeated fixes) without a press of the
/// button.
struct LogQuota {
  /// The maximum count of one-time requests that an app may make immediately one after the other. An app that needs
  /// fixes more often can use `START updates`.
  static let requestsAtOnce = 60
  static let requestsPerSecond = 1.0
  /// The maximum count of log entries that an app may cause immediately one after the other.
  static let entriesAtOnce = 10_000
  static let entriesPerDay = 10_000
  /// The share of the quota below which the gateway warns the owner (administrator). The warning ends at the share
  /// `recovered`.
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
  /// The apps for which the owner (administrator) was warned, and whose quota of log entries had not recovered at their
  /// last entry.
  private var low: Set<AppID> = []

  /// Returns the time until the quota of an app permits the next log entry; nil if the quota permits an entry now.
  /// - Parameter isOnce: Whether the entry is for a one-time request.
  mutating func wait(of app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Duration? {
    var budget = budgets[app] ?? Budget(at: now)
    budget.requests.fill(at: now)
    budget.entries.fill(at: now)
    budgets[app] = budget
    let wait = isOnce ? max(budget.requests.wait, budget.entries.wait) : budget.entries.wait
    return wait > .zero ? wait : nil
  }

  /// Counts one log entry of an app.
  /// - Returns: Whether the owner (administrator) must be warned that the quota is nearly used up. The next warning is
  ///   possible only after the quota has recovered.
  mutating func consume(_ app: AppID, isOnce: Bool, at now: MonotonicInstant) -> Bool {
    var budget = budgets[app] ?? Budget(at: now)
    defer { budgets[app] = budget }
    if isOnce { _ = budget.requests.consume(at: now) }
    _ = budget.entries.consume(at: now)
    if budget.entries.share >= Self.recovered { low.remove(app) }
    return budget.entries.share < Self.low && low.insert(app).inserted
  }

  /// Returns the apps for which the owner (administrator) was warned and whose quota of log entries has not recovered,
  /// sorted.
  func lowApps(at now: MonotonicInstant) -> [AppID] {
    low.filter { app in
      var entries = budgets[app]?.entries
      entries?.fill(at: now)
      return entries.map { $0.share < Self.recovered } ?? false
    }.sorted()
  }
}
