package import Authorization
package import Clocks
import Synchronization

/// A limiter for the warnings about each app, and about clients without an app. Clients that connect repeatedly must
/// not fill the log.
package final class WarningLimiter: Sendable {
  /// The minimum time between two warnings about an app.
  private static let pause = Duration.seconds(600)

  private let warned = Mutex<[AppID?: MonotonicInstant]>([:])

  package init() {}

  /// Returns whether the pause after the latest warning about the app has ended. The result true begins a new pause.
  package func allowsWarning(about app: AppID?, at now: MonotonicInstant) -> Bool {
    warned.withLock { warned in
      if let latest = warned[app], now - latest < Self.pause { return false }
      warned[app] = now
      return true
    }
  }
}
