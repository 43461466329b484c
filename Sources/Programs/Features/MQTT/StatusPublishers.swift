import Synchronization

/// The ids of the apps whose bridges publish the gateway's status at the same MQTT broker, on one topic. The last of
/// these bridges publishes the status `offline` when the bridge stops.
package final class StatusPublishers: Sendable {
  private let apps: Mutex<Set<String>>

  package init(_ apps: Set<String> = []) { self.apps = Mutex(apps) }

  package func join(_ app: String) { apps.withLock { _ = $0.insert(app) } }

  /// Removes an app. Returns whether bridges of other apps still publish the status.
  package func leave(_ app: String) -> Bool {
    apps.withLock { apps in
      apps.remove(app)
      return !apps.isEmpty
    }
  }
}
