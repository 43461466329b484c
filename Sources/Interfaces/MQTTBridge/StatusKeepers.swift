import Synchronization

/// The apps whose bridges publish the gateway's status at one broker. All these bridges use the same topic. When a
/// bridge stops and no other bridge of this set is left, the stopping bridge publishes the status `offline`.
package final class StatusKeepers: Sendable {
  private let apps: Mutex<Set<String>>

  /// - Parameter apps: The ids of the apps.
  package init(_ apps: Set<String> = []) { self.apps = Mutex(apps) }

  /// Adds an app. The app's bridge publishes the gateway's status.
  package func join(_ app: String) { apps.withLock { _ = $0.insert(app) } }

  /// Removes an app.
  ///
  /// - Returns: Whether other bridges still publish the status.
  package func leave(_ app: String) -> Bool {
    apps.withLock { apps in
      apps.remove(app)
      return !apps.isEmpty
    }
  }
}
