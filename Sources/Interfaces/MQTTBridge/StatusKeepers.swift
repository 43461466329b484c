import Synchronization

/// The apps whose bridges tell one broker whether the gateway is there: all of them say it on one topic.
package final class StatusKeepers: Sendable {
  private let apps: Mutex<Set<String>>

  /// - Parameter apps: their names.
  package init(_ apps: Set<String> = []) { self.apps = Mutex(apps) }

  /// An app's bridge keeps the status from now on.
  package func join(_ app: String) { apps.withLock { _ = $0.insert(app) } }

  /// An app is no more.
  /// - Returns: whether others keep the status.
  package func leave(_ app: String) -> Bool {
    apps.withLock { apps in
      apps.remove(app)
      return !apps.isEmpty
    }
  }
}
