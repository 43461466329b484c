import Authorization
import Clocks
import Telemetry
import StateStore

/// What the gateway counts of what it does: plain numbers, which the gateway alone touches.
struct Counts {
  var presses: [String: Int] = [:]
  var holds = 0
  var pressRefusals: [String: Int] = [:]
  var prompts: [String: Int] = [:]
  var grants: [String: Int] = [:]
  /// By app and what it was told; apps that are not configured are one.
  var refusals: [Pair: Int] = [:]
  /// One-time fixes, by app and accuracy.
  var disclosures: [Pair: Int] = [:]
  /// Fixes of updates: those of a thousand sessions are counted at once.
  var fullUpdates = 0
  var reducedUpdates = 0
  var regionEvents = 0
  var withheld: [String: Int] = [:]
  var pressToFix = Histogram(bounds: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60])
  var timeToFirstFix = Histogram(bounds: [1, 2, 5, 10, 20, 30, 45, 60, 120, 300, 900])
  /// Since when the receiver is listened to, until its first fix.
  var receiverOpened: MonotonicInstant?
  var receiverLosses = 0
  /// How long writes to the store took, by what was written.
  var writes = StoreWrite.each(Histogram(bounds: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1]))
  var failedWrites = StoreWrite.each(0)
  /// Fixes that no broker came for in time.
  var expiredWaiting: [String: Int] = [:]
  /// Notifications that gave way to newer ones before an owner came.
  var droppedNotifications = 0

  struct Pair: Hashable {
    let app: String
    let what: String
  }
}

/// What is written to the store.
enum StoreWrite: String, CaseIterable {
  /// That somebody is about to be told.
  case disclosure
  /// What became of that.
  case outcome
  /// What an app may know, and the kill switch.
  case right
  /// Keys, regions and the cloak's memory.
  case sealed
  /// What is done hourly: answers counted, old entries removed, the log anchored.
  case upkeep

  static func each<Value>(_ value: Value) -> [String: Value] {
    Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, value) })
  }
}

extension Gateway {
  /// As metrics call an app: apps that nobody configured are one, so that nobody makes labels without end. No app has its
  /// name.
  func metricName(of app: AppID) -> String {
    policy.authorization.newAppAccuracy[app] == nil ? "(other)" : app.name
  }

  /// Writes to the store, and counts how long that took: it ends when the disk has it.
  func timed<Result, Failure>(_ kind: StoreWrite, _ write: () throws(Failure) -> Result) throws(Failure) -> Result {
    let start = clock.monotonic
    do {
      let result = try write()
      counts.writes[kind.rawValue]?.observe(clock.monotonic - start)
      return result
    } catch {
      counts.failedWrites[kind.rawValue, default: 0] += 1
      throw error
    }
  }

  /// Counts a one-time fix.
  func countDisclosure(to app: AppID, accuracy: Accuracy) {
    counts.disclosures[Counts.Pair(app: metricName(of: app), what: accuracy.rawValue), default: 0] += 1
  }
}
