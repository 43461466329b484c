package import Authorization
import LineProtocol
package import StateStore

/// The checks whether an app may still receive a fix that was selected earlier.
extension Authorization {
  /// Whether the app may still receive a saved fix that waits for an output, such as an MQTT broker.
  package func allows(_ fix: OutboxEntry, in session: SessionID?) -> Bool {
    allows(fix.app, fix.right, fix.accuracy, in: session)
  }

  /// Whether the app may still receive a fix that is repeated, or that was kept for the gpsd command `?POLL`.
  func allows(_ delivery: Delivery) -> Bool {
    allows(delivery.app, delivery.right, delivery.accuracy, in: delivery.session)
  }

  /// Whether an app may still receive a fix that was selected earlier.
  ///
  /// - Parameters:
  ///   - right: The permission with which the fix was selected. The status of the app must still include this
  ///     permission.
  ///   - accuracy: The accuracy of the fix. The app must still be allowed this accuracy or more.
  private func allows(_ app: AppID, _ right: Right, _ accuracy: FixAccuracy, in session: SessionID?) -> Bool {
    if accuracy > self.accuracy(of: app, in: session) { return false }
    switch status(of: app) {
    case .denied, .restricted: return false
    // After a reset by an owner, the user must confirm the app again.
    case .notDetermined: return right == .allowedOnce || right == .once && record(of: app).isButtonConfirmed
    case .whenInUse: return right != .always
    case .always: return true
    }
  }
}
