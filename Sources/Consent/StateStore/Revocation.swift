internal import Authorization

extension AppRecord {
  /// Whether an app has, with this record, a right that it had not with the one before; nil: it had none.
  func gives(moreThan before: AppRecord?) -> Bool {
    guard let before else { return status.rank > Status.notDetermined.rank || isButtonConfirmed }
    return status.rank > before.status.rank || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy == .full && before.accuracy == .reduced
  }
}
