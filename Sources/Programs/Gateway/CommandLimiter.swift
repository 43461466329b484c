import Authorization
import Clocks
import Ports
import Synchronization

/// Limits the commands of each app. All sessions of an app share one budget, and the gateway handles only one command
/// of an app at a time. An app with many sessions therefore delays the button, the owners and other apps by at most one
/// command.
final class CommandLimiter: Sendable {
  /// The number of commands that an app may send in a short time: four for each session that the app may have.
  static let burst = 4 * Session.most
  /// The number of commands per second that an app may send over a longer time. The value is the sum of the limits of
  /// twenty sessions.
  static let rate = 400.0

  /// The time for which a connection is not read after a refused command.
  static let pause: Duration = .seconds(1)

  private struct State {
    var budgets: [AppID: TokenBucket] = [:]
    /// The app of each connection that has sent HELLO, by the number of the connection.
    var apps: [UInt64: AppID] = [:]
    /// The commands that wait for their turn, oldest first. If the gateway handles no command of an app, the app has no
    /// entry here.
    var queues: [AppID: ArraySlice<CheckedContinuation<Void, Never>>] = [:]
  }

  private let state = Mutex(State())

  /// The app of a connection; nil for owners, and before HELLO.
  func app(on connection: any ClientConnection) -> AppID? { state.withLock { $0.apps[connection.number] } }

  func add(_ connection: any ClientConnection, of app: AppID) { state.withLock { $0.apps[connection.number] = app } }

  func remove(_ connection: any ClientConnection) { state.withLock { $0.apps[connection.number] = nil } }

  /// Takes one command from an app's budget.
  /// - Returns: False if the budget is used up.
  func consume(_ app: AppID, at now: MonotonicInstant) -> Bool {
    state.withLock { state in
      state.budgets[app, default: TokenBucket(capacity: Self.burst, perSecond: Self.rate, at: now)].consume(at: now)
    }
  }

  /// Waits until the gateway handles no other command of the app. The caller must call `endTurn` later.
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
