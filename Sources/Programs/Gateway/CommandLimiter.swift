import Authorization
import Clocks
import Ports
import Synchronization

/// Limits the commands of each app. All sessions of an app share one budget and one turn. Therefore an app with many
/// sessions delays the button, the owners and other apps by at most one command.
final class CommandLimiter: Sendable {
  /// The commands of a burst: four for each session that an app may have.
  static let burst = 4 * Session.most
  /// The sustained rate, in commands per second: the rate of twenty sessions at the limit of a session.
  static let rate = 400.0

  /// The delay for a connection after a refused command.
  static let pause: Duration = .seconds(1)

  private struct State {
    var budgets: [AppID: TokenBucket] = [:]
    /// The apps of connections that have sent HELLO.
    var apps: [UInt64: AppID] = [:]
    /// The commands that wait for their turn, oldest first. An app without a command in the gateway has no entry.
    var queues: [AppID: ArraySlice<CheckedContinuation<Void, Never>>] = [:]
  }

  private let state = Mutex(State())

  /// The app of a connection; nil for owners, and before HELLO.
  func app(on connection: any ClientConnection) -> AppID? { state.withLock { $0.apps[connection.number] } }

  func add(_ connection: any ClientConnection, of app: AppID) { state.withLock { $0.apps[connection.number] = app } }

  func remove(_ connection: any ClientConnection) { state.withLock { $0.apps[connection.number] = nil } }

  /// Consumes a command of an app's budget.
  /// - Returns: false if the budget is used up.
  func consume(_ app: AppID, at now: MonotonicInstant) -> Bool {
    state.withLock { state in
      state.budgets[app, default: TokenBucket(capacity: Self.burst, perSecond: Self.rate, at: now)].consume(at: now)
    }
  }

  /// Returns when no other command of the app is in the gateway. `endTurn` has to follow.
  func beginTurn(of app: AppID) async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.queues[app] != nil else {
          state.queues[app] = []
          return true
        }
        state.queues[app]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func endTurn(of app: AppID) {
    let next = state.withLock { state in
      let next = state.queues[app]?.popFirst()
      if next == nil { state.queues[app] = nil }
      return next
    }
    next?.resume()
  }
}
