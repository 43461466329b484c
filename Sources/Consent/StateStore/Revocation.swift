internal import Authorization
import LineProtocol

extension AppRecord {
  /// Whether this record gives a right that the earlier record did not give. If `before` is nil, the app is new and had
  /// no right.
  func grantsMore(than before: AppRecord?) -> Bool {
    guard let before else { return status.rank > AuthorizationStatus.notDetermined.rank || isButtonConfirmed }
    return status.rank > before.status.rank || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy > before.accuracy || lastsLonger(than: before)
  }

  /// Whether the earlier record had an authorization for a time, and this record gives more than the former status
  /// for a longer time.
  private func lastsLonger(than before: AppRecord) -> Bool {
    guard let limit = before.timeLimit, status.rank > limit.formerStatus.rank else { return false }
    return timeLimit.map { $0.end > limit.end } ?? true
  }
}
