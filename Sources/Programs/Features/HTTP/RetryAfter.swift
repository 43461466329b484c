import Base
import Configuration

/// The value of the header field `Retry-After`, with which a web server asks for a later attempt (RFC 9110 §10.2.3).
enum RetryAfter: Hashable, Sendable {
  case seconds(Int64)
  case time(UTCTime)

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Parses a count of seconds such as `120`, or a date such as `Fri, 31 Dec 2027 23:59:59 GMT`. Returns nil for any
  /// other text.
  init?(_ text: String) {
    if !text.isEmpty, text.hasOnlyDigits {
      self = .seconds(Int64(text) ?? .max)
      return
    }
    let words = text.split(separator: Character(" "))
    guard words.count == 6, words[5] == "GMT", let day = Self.number(words[1], digits: 2...2),
      let month = Self.months.firstIndex(of: String(words[2])), let year = Self.number(words[3], digits: 4...4),
      let date = UTCDate(year: year, month: month + 1, day: day), let time = Self.time(words[4])
    else { return nil }
    self = .time(UTCTime(date: date, timeOfDay: time))
  }

  /// Returns the delay from `now` until the next attempt; zero for a time in the past.
  func pause(at now: UTCTime) -> Duration {
    switch self {
    case .seconds(let seconds): .seconds(seconds)
    case .time(let time):
      max(.zero, .nanoseconds(time.nanosecondsSince1970) - .nanoseconds(now.nanosecondsSince1970))
    }
  }

  private static func time(_ text: Substring) -> TimeOfDay? {
    let parts = text.split(separator: Character(":"), omittingEmptySubsequences: false)
      .compactMap { number($0, digits: 2...2) }
    return parts.count == 3 ? TimeOfDay(hour: parts[0], minute: parts[1], second: parts[2]) : nil
  }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    digits.contains(text.utf8.count) && text.hasOnlyDigits ? Int(text) : nil
  }
}
