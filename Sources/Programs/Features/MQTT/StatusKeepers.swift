import Synchronization

/// The apps whose bridges publish the gateway's status at one broker, on one topic. When the last of these bridges
/// stops, it publishes the status `offline`.
package final class StatusKeepers: Sendable {
  private let apps: Mutex<Set<String>>

  package init(_ apps: Set<String> = []) { self.apps = Mutex(apps) }

  package func join(_ app: String) { apps.withLock { _ = $0.insert(app) } }

  /// Removes an app. Returns whether other bridges still publish the status.
  package func leave(_ app: String) -> Bool {
    apps.withLock { apps in
      apps.remove(app)
      return !apps.isEmpty
    }
  }
}
