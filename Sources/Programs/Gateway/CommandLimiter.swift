import Authorization
import Base
import Ports
import Synchronization

/// Limits the commands of each app. All sessions of an app share one budget, and the gateway handles one command of an
/// app at a time. For this reason, an app with many sessions delays other clients by at most one command.
final class CommandLimiter: Sendable {
  /// The number of commands that an app may send in a short time: four for each session.
  static let burst = 4 * Session.most
  /// The number of commands per second that an app may send over a longer time.
  static let rate = 400.0

  /// The time for which a connection is not read after a command beyond the limit.
  static let pause: Duration = .seconds(1)

  private struct State {
    var budgets: [AppID: TokenBucket] = [:]
    /// The app of each connection after HELLO, by the number of the connection.
    var apps: [UInt64: AppID] = [:]
    /// The commands that wait for their turn, oldest first. An app has an entry only while the gateway handles a
    /// command of the app.
    var queues: [AppID: ArraySlice<CheckedContinuation<Void, Never>>] = [:]
  }

  private let state = Mutex(State())

  /// The app of a connection; nil for owners, and before HELLO.
  func app(on connection: any ClientConnection) -> AppID? { state.withLock { $0.apps[connection.number] } }

  /// Notes the app of a connection after HELLO.
  func add(_ connection: any ClientConnection, of app: AppID) { state.withLock { $0.apps[connection.number] = app } }

  func remove(_ connection: any ClientConnection) { state.withLock { $0.apps[connection.number] = nil } }

  /// Counts a command of an app.
  /// - Returns: False if the app has no budget left.
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

  /// Ends the turn of the caller, and resumes the next command of the app.
  func endTurn(of app: AppID) {
    let next = state.withLock { state in
      let next = state.queues[app]?.popFirst()
      if next == nil { state.queues[app] = nil }
      return next
    }
    next?.resume()
  }
}
