package import Authorization
package import Base
package import LineProtocol

package let a = AppID("a")!
package let b = AppID("b")!
package let c = AppID("c")!

/// Returns an instant, as the time since the start of the machine.
package func at(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + time }

/// The states in the rows of the table.
package enum Standing: String, CaseIterable {
  case new, confirmed, whenInUse, always, denied
  /// The app asked for "always", the user answered "while in use", and the app sees "always".
  case provisional
  /// The user refused "always", and the app sees it for another day.
  case refused

  package func record(_ app: AppID) -> AppRecord {
    var record = AppRecord(app: app)
    switch self {
    case .new: break
    case .confirmed: record.isButtonConfirmed = true
    case .whenInUse: record.status = .whenInUse
    case .always: record.status = .always
    case .denied: record.status = .denied
    case .provisional:
      record.status = .whenInUse
      record.isProvisional = true
      record.hasAskedUpgrade = true
    case .refused:
      record.status = .whenInUse
      record.hasAskedUpgrade = true
      record.seesAlwaysUntil = at(.seconds(86_400))
    }
    return record
  }
}
