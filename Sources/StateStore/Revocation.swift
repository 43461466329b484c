internal import Authorization

extension AppRecord {
  /// Whether an app has, with this record, a right that it had not with the one before; nil: it had none.
  func gives(moreThan before: AppRecord?) -> Bool {
    guard let before else { return status.standing > Status.notDetermined.standing || isButtonConfirmed }
    return status.standing > before.status.standing || isButtonConfirmed && !before.isButtonConfirmed
      || accuracy == .full && before.accuracy == .reduced
  }
}

extension Status {
  /// The more, the more an app may know.
  fileprivate var standing: Int {
    switch self {
    case .denied, .restricted: 0
    case .notDetermined: 1
    case .whenInUse: 2
    case .always: 3
    }
  }
}
