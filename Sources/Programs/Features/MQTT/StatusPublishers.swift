import Synchronization

/// The apps whose MQTT connections to one broker publish the gateway's status, all on the same topic. Only the last
/// connection to stop publishes the status `offline`.
package final class StatusPublishers: Sendable {
  private let apps: Mutex<Set<String>>

  package init(_ apps: Set<String> = []) { self.apps = Mutex(apps) }

  package func join(_ app: String) { apps.withLock { _ = $0.insert(app) } }

  /// Removes an app. Returns whether another app's connection still publishes the gateway's status.
  package func leave(_ app: String) -> Bool {
    apps.withLock { apps in
      apps.remove(app)
      return !apps.isEmpty
    }
  }
}
