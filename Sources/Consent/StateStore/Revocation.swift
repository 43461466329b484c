internal import Authorization
import LineProtocol

extension AppRecord {
  /// Whether this record permits something that the earlier record did not permit. If `before` is nil, the app is new
  /// and had no permission.
  func grantsMore(than before: AppRecord?) -> Bool {
    guard let before else { return status.rank > AuthorizationStatus.notDetermined.rank || isButtonConfirmed }
    return status.rank > before.status.rank || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy > before.accuracy || lastsLonger(than: before)
  }

  /// Whether the earlier record had a temporary authorization, and this record extends it to a later end or to no end.
  private func lastsLonger(than before: AppRecord) -> Bool {
    guard let limit = before.timeLimit, status.rank > limit.formerStatus.rank else { return false }
    return timeLimit.map { $0.end > limit.end } ?? true
  }
}
