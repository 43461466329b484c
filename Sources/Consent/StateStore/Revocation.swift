internal import Authorization

extension AppRecord {
  /// Whether this record gives a right that the previous record did not give; nil if there was no record.
  func grantsMore(than before: AppRecord?) -> Bool {
    guard let before else { return status.rank > Status.notDetermined.rank || isButtonConfirmed }
    return status.rank > before.status.rank || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy == .full && before.accuracy == .reduced
  }
}
