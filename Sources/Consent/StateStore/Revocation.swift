internal import Authorization
import LineProtocol

extension AppRecord {
  /// Whether this record gives a right that the earlier record did not give. If `before` is nil, the app is new and had
  /// no right.
  func grantsMore(than before: AppRecord?) -> Bool {
    guard let before else { return status.rank > AuthorizationStatus.notDetermined.rank || isButtonConfirmed }
    return status.rank > before.status.rank || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy > before.accuracy
  }
}
