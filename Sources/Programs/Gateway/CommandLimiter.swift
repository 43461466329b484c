import Base
import LineProtocol
import Ports
import Synchronization

/// Limits how many commands each app may send. All sessions of an app share one limit, and the gateway handles one
/// command of an app at a time. An app with many sessions therefore delays other clients by at most one command.
final class CommandLimiter: Sendable {
  /// The maximum count of commands that an app may send immediately one after the other: four for each possible
  /// session.
  static let burst = 4 * Session.most
  /// The maximum count of commands per second that an app may send for a longer time.
  static let rate = 400.0

  /// The time for which the gateway does not read a connection after its app has sent too many commands.
  static let pause: Duration = .seconds(1)

  private struct State {
    var budgets: [AppID: TokenBucket] = [:]
    /// The app of each connection that has sent HELLO. The key is the identifier of the connection.
    var apps: [UInt64: AppID] = [:]
    /// The continuations of the waiting commands of each app, oldest first. An app has a queue only while the gateway
    /// handles a command of this app.
    var queues: [AppID: ArraySlice<CheckedContinuation<Void, Never>>] = [:]
  }

  private let state = Mutex(State())

  /// Returns the app of a connection; nil for a connection of an owner (administrator), and before the command HELLO.
  func app(on connection: any ClientConnection) -> AppID? { state.withLock { $0.apps[connection.number] } }

  func add(_ connection: any ClientConnection, of app: AppID) { state.withLock { $0.apps[connection.number] = app } }

  func remove(_ connection: any ClientConnection) { state.withLock { $0.apps[connection.number] = nil } }

  /// Counts one command of an app.
  /// - Returns: False if the app has sent too many commands.
  func consume(_ app: AppID, at now: MonotonicInstant) -> Bool {
    state.withLock { state in
      state.budgets[app, default: TokenBucket(capacity: Self.burst, perSecond: Self.rate, at: now)].consume(at: now)
    }
  }

  /// Waits until the gateway handles no other command of the app. The caller must call `endTurn(of:)` after its
  /// command.
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

  /// Ends the turn of the caller's command, and resumes the next waiting command of the app.
  func endTurn(of app: AppID) {
    let next = state.withLock { state in
      let next = state.queues[app]?.popFirst()
      if next == nil { state.queues[app] = nil }
      return next
    }
    next?.resume()
  }
}
