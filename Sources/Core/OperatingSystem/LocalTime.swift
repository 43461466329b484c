package import Base
import Glibc

/// Functions for times in the local time zone. The environment variable `TZ` has priority over the time zone of the
/// machine.
package enum LocalTime {
  /// A function that converts a time to a text in local time; nil if local time is UTC.
  package static var reader: (@Sendable (UTCTime) -> String)? {
    if secondsEast(at: time(nil)) == 0 { return nil }
    return { time in
      text(of: time, secondsEast: secondsEast(of: time))
    }
  }

  /// Returns the local time as text, for example `08:31:34`. If the local date differs from the UTC date, the date
  /// precedes the time.
  ///
  /// - Parameter east: The seconds by which local time is ahead of UTC.
  package static func text(of time: UTCTime, secondsEast east: Int) -> String {
    let local = inZone(time, east)
    let (date, clock) = (local.dropFirst(5).prefix(5), local.dropFirst(11).prefix(8))
    return time.iso8601.dropFirst(5).prefix(5) == date ? "\(clock)" : "\(date) \(clock)"
  }

  /// Returns the local time as text without seconds, for example `08:31`. If the local date is not that of `now`, the
  /// date precedes the time.
  package static func minute(of time: UTCTime, now: UTCTime) -> String {
    let (local, today) = (inZone(time, secondsEast(of: time)), inZone(now, secondsEast(of: now)))
    let clock = local.dropFirst(11).prefix(5)
    return local.prefix(10) == today.prefix(10) ? "\(clock)" : "\(local.prefix(10)) \(clock)"
  }

  /// Returns the local time of day as the count of whole minutes since midnight, 0...1439.
  package static func minuteOfDay(_ time: UTCTime) -> Int {
    let seconds = time.nanosecondsSince1970 / 1_000_000_000 + Int64(secondsEast(of: time))
    return Int((seconds % 86_400 + 86_400) % 86_400 / 60)
  }

  private static func inZone(_ time: UTCTime, _ secondsEast: Int) -> String {
    UTCTime(nanosecondsSince1970: time.nanosecondsSince1970 + Int64(secondsEast) * 1_000_000_000).iso8601
  }

  private static func secondsEast(of time: UTCTime) -> Int {
    secondsEast(at: time_t(time.nanosecondsSince1970 / 1_000_000_000))
  }

  /// Returns the difference between local time and UTC at a time, in seconds; positive east of Greenwich.
  private static func secondsEast(at seconds: time_t) -> Int {
    var seconds = seconds
    var parts = unsafe tm()
    // `localtime_r` alone keeps the time zone of its first call. A person can change the time zone while the daemon runs.
    tzset()
    // The pointers that the C function receives are valid during the call.
    guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }
}
