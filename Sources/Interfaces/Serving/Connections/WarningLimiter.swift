package import Authorization
package import Base
import Synchronization

/// Limits the rate of the warnings in the log, separately for each app and for clients without an app, so that clients
/// that connect repeatedly do not fill the log.
package final class WarningLimiter: Sendable {
  /// The minimum time between two warnings about an app.
  private static let pause = Duration.seconds(600)

  private let warned = Mutex<[AppID?: MonotonicInstant]>([:])

  package init() {}

  /// Returns whether the pause after the previous warning about the app has ended. If the result is true, a new pause
  /// begins. `app` is nil for clients without an app.
  package func allowsWarning(about app: AppID?, at now: MonotonicInstant) -> Bool {
    warned.withLock { warned in
      if let latest = warned[app], now - latest < Self.pause { return false }
      warned[app] = now
      return true
    }
  }
}
