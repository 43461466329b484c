package import Authorization
package import LineProtocol
package import Logging
import OperatingSystem
import Synchronization

/// The limits of the number of connections that each app may have at one listener, called shares. Without shares, the
/// clients of one app could occupy all connections, and no client of another app could connect.
///
/// All apps have the same share. One more share is for clients without an app: clients that have not authenticated yet,
/// or that belong to no app. The sum of the shares is at most the limit of the listener, unless the limit is lower than
/// the number of shares.
package final class ConnectionShares: Sendable {
  private struct State {
    /// The app of each connection, by connection number; nil for a client without an app.
    var apps: [UInt64: AppID?] = [:]
    var counts: [AppID?: Int] = [:]
  }

  /// The maximum number of connections of the listener.
  private let limit: Int
  private let state = Mutex(State())
  private let warnings = WarningLimiter()

  package init(limit: Int) { self.limit = limit }

  /// Adds a connection and returns nil. If the app already has all connections of its share, adds no connection and
  /// returns the share.
  ///
  /// - Parameters:
  ///   - app: The app of the client; nil for a client without an app.
  ///   - apps: The apps that the listener serves.
  func add(_ number: UInt64, of app: AppID?, among apps: Set<AppID>) -> Int? {
    state.withLock { state in
      // Apps that no rule names have connections only for a short time after a change of the configuration, and on a
      // simulated board, whose user may use any app id.
      let all = apps.union(state.counts.keys.compactMap(\.self)).union(app.map { [$0] } ?? [])
      let share = max(1, limit / (all.count + 1))
      let count = state.counts[app, default: 0]
      guard count < share else { return share }
      state.counts[app] = count + 1
      state.apps[number] = .some(app)
      return nil
    }
  }

  package func remove(_ number: UInt64) {
    state.withLock { state in
      guard let app = state.apps.removeValue(forKey: number), let count = state.counts[app] else { return }
      state.counts[app] = count == 1 ? nil : count - 1
    }
  }

  /// Adds a connection and returns nil, or returns the error with which the listener refuses the client. The number of
  /// warnings about refused clients in the log is limited.
  package func refusal(
    of connection: Connection, as app: AppID?, among apps: Set<AppID>, logger: Logger
  ) -> LineError? {
    guard let share = add(connection.number, of: app, among: apps) else { return nil }
    let holder = app == nil ? "clients without an app" : "this app"
    let cause = "\(holder) can have at most \(share) connections at this listener (end one first)"
    if warnings.allowsWarning(about: app, at: SystemClock.monotonic) {
      logger.warning(
        "cannot serve another client: \(cause)",
        metadata: ["app": "\(app?.name ?? "none")", "peer": "\(connection.peer)", "over": "\(connection.transport)"])
    }
    return LineError(.tooMany, cause)
  }
}
