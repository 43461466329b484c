internal import Authorization
import LineProtocol

extension AppRecord {
  /// Whether this record gives a right that the record `before` did not give. A value of nil stands for a new app,
  /// which has no right.
  func grantsMore(than before: AppRecord?) -> Bool {
    guard let before else { return status.rank > AuthorizationStatus.notDetermined.rank || isButtonConfirmed }
    return status.rank > before.status.rank || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy == .full && before.accuracy == .reduced
  }
}
