package import LineProtocol
package import Logging
import OperatingSystem
import Synchronization

/// The division of a listener's connections into equal shares, so that one app cannot occupy all connections.
///
/// Each app has one share. One more share is for clients without an app: clients that have not authenticated yet, or
/// that belong to no app. The sum of the shares is at most the limit of the listener, unless the limit is lower than
/// the count of shares.
package final class ConnectionShares: Sendable {
  private struct State {
    /// The app of each connection; nil for a client without an app. The key is the number of the connection.
    var apps: [UInt64: AppID?] = [:]
    var counts: [AppID?: Int] = [:]
  }

  /// The maximum count of connections of the listener.
  private let limit: Int
  private let state = Mutex(State())
  private let warnings = WarningLimiter()

  package init(limit: Int) { self.limit = limit }

  /// Adds a connection, if the app has fewer connections than its share (the maximum for each app).
  ///
  /// - Parameters:
  ///   - app: The app of the client; nil for a client without an app.
  ///   - apps: The apps that the listener serves.
  /// - Returns: Nil if the function added the connection; otherwise the share, as a count of connections.
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

  /// Adds a connection of an app. Returns nil on success, or the error for the client if the app has too many
  /// connections.
  ///
  /// The function also logs a warning about the refusal, at a limited rate.
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
