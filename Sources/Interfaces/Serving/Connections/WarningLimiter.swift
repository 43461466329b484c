package import LineProtocol
package import Base
import Synchronization

/// Limits the rate of log warnings to one in ten minutes for each app, so that clients that reconnect often do not fill
/// the log.
package final class WarningLimiter: Sendable {
  /// The minimum time between two warnings about the same app.
  private static let pause = Duration.seconds(600)

  private let warned = Mutex<[AppID?: MonotonicInstant]>([:])

  package init() {}

  /// Whether a warning about an app may be written now. If true, the next warning about the app must wait ten minutes.
  /// - Parameter app: The app; nil for clients without an app.
  package func allowsWarning(about app: AppID?, at now: MonotonicInstant) -> Bool {
    warned.withLock { warned in
      if let latest = warned[app], now - latest < Self.pause { return false }
      warned[app] = now
      return true
    }
  }
}
