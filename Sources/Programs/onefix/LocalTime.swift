import Base
import Glibc

/// Times in the time zone of this program: `TZ`, or else that of the machine.
enum LocalTime {
  /// Returns local times as text; nil in UTC.
  static var reader: (@Sendable (UTCTime) -> String)? {
    if secondsEast(at: time(nil)) == 0 { return nil }
    return { time in
      text(of: time, secondsEast: secondsEast(at: time_t(time.nanosecondsSince1970 / 1_000_000_000)))
    }
  }

  /// Returns the local time, as in `08:31:34`. If the date differs from the date in UTC, the date precedes the time.
  static func text(of time: UTCTime, secondsEast east: Int) -> String {
    let local = UTCTime(nanosecondsSince1970: time.nanosecondsSince1970 + Int64(east) * 1_000_000_000).iso8601
    let (date, clock) = (local.dropFirst(5).prefix(5), local.dropFirst(11).prefix(8))
    return time.iso8601.dropFirst(5).prefix(5) == date ? "\(clock)" : "\(date) \(clock)"
  }

  /// Returns the difference between local time and UTC at a time, in seconds; positive east of Greenwich.
  private static func secondsEast(at seconds: time_t) -> Int {
    var seconds = seconds
    var parts = unsafe tm()
    // The pointers that the C function receives are valid during the call.
    guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }
}
