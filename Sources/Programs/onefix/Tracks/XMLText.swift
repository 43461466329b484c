import Base
import GNSS
import LineProtocol

extension TextBuffer {
  mutating func element(_ name: String, _ value: Double?) {
    guard let value else { return }
    open(name)
    append(value)
    close(name)
  }

  mutating func element(_ name: String, _ value: Int?) {
    guard let value else { return }
    open(name)
    append(Int64(value))
    close(name)
  }

  /// Appends an element with a time. The type `xsd:dateTime` has no leap second, so a time in a leap second becomes the
  /// last moment before the leap second.
  mutating func element(_ name: String, _ time: UTCTime?) {
    guard let time else { return }
    open(name)
    append(time.withoutLeapSecond)
    close(name)
  }

  mutating func element(_ name: String, _ text: String?) {
    guard let text else { return }
    open(name)
    appendEscaped(xml: text)
    close(name)
  }

  mutating func appendEscaped(xml text: String) { append(Markup.escaped(text)) }

  mutating func open(_ name: String) {
    append(ascii: "<")
    append(name)
    append(ascii: ">")
  }

  mutating func close(_ name: String) {
    append("</")
    append(name)
    append(ascii: ">")
  }
}

extension UTCTime {
  fileprivate var withoutLeapSecond: UTCTime {
    guard timeOfDay.second == 60,
      let before = TimeOfDay(
        hour: timeOfDay.hour, minute: timeOfDay.minute, second: 59, nanosecond: 999_999_999)
    else { return self }
    return UTCTime(date: date, timeOfDay: before)
  }
}

extension FixQuality {
  /// The source of a position that was not measured by satellites. Nil for measured positions.
  var otherSource: String? {
    switch self {
    case .estimated, .manual, .simulator: name
    case .invalid, .autonomous, .differential, .precise, .rtkFixed, .rtkFloat: nil
    }
  }
}
