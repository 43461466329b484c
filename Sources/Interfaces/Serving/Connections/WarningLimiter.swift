package import Base
package import LineProtocol
import Synchronization

/// A limiter of log warnings: at most one warning in ten minutes for each app. Clients that reconnect often therefore
/// do not fill the log.
package final class WarningLimiter: Sendable {
  /// The minimum time between two warnings about the same app.
  private static let pause = Duration.seconds(600)

  private let warned = Mutex<[AppID?: MonotonicInstant]>([:])

  package init() {}

  /// Returns whether a warning about an app may be written now. If true, the next warning about the app must wait ten
  /// minutes.
  /// - Parameter app: The app; nil for clients without an app.
  package func allowsWarning(about app: AppID?, at now: MonotonicInstant) -> Bool {
    warned.withLock { warned in
      if let latest = warned[app], now - latest < Self.pause { return false }
      warned[app] = now
      return true
    }
  }
}
