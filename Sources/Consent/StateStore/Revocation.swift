internal import Authorization
import LineProtocol

extension AppRecord {
  /// Whether this record gives a permission that the earlier record of the same app did not give. If `before` is nil,
  /// the app had no permission.
  func grantsMore(than before: AppRecord?) -> Bool {
    guard let before else { return status.rank > AuthorizationStatus.notDetermined.rank || isButtonConfirmed }
    return status.rank > before.status.rank || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy > before.accuracy || lastsLonger(than: before)
  }

  /// Whether the earlier record of the same app gave a permission that this record does not give. The place of the app in
  /// the order of service and the pause of its prompts are no permissions.
  ///
  /// If `before` is nil, the app had the permission to ask the user, with the accuracy that the configuration gives. The
  /// first request of an app saves this accuracy (then `lastServed` is not nil), so it lowers nothing.
  func takesAway(from before: AppRecord?) -> Bool {
    guard let before else {
      return status.rank < AuthorizationStatus.notDetermined.rank || lastServed == nil && accuracy < .full
    }
    let refusesAlways = before.isProvisional && !isProvisional && status == before.status
    return refusesAlways || before.grantsMore(than: self)
  }

  /// Whether the earlier record has a temporary authorization, and this record has the authorization with a later end
  /// or without an end.
  private func lastsLonger(than before: AppRecord) -> Bool {
    guard let limit = before.timeLimit, status.rank > limit.formerStatus.rank else { return false }
    return timeLimit.map { $0.end > limit.end } ?? true
  }
}
