package import Base
package import GNSS

extension TextBuffer {
  package mutating func element(_ name: String, _ value: Double?) { element(name, value) { $0.append($1) } }

  package mutating func element(_ name: String, _ value: Int?) { element(name, value) { $0.append(Int64($1)) } }

  /// Appends an XML element with a time. The type `xsd:dateTime` has no leap seconds. A time in a leap second therefore
  /// becomes the last nanosecond before the leap second.
  package mutating func element(_ name: String, _ time: UTCTime?) {
    element(name, time) { $0.append($1.withoutLeapSecond) }
  }

  package mutating func element(_ name: String, _ text: String?) {
    element(name, text) { $0.append(Markup.escaped($1)) }
  }

  private mutating func element<Value>(
    _ name: String, _ value: Value?, _ append: (inout TextBuffer, Value) -> Void
  ) {
    guard let value else { return }
    open(name)
    append(&self, value)
    close(name)
  }

  package mutating func open(_ name: String) {
    append(ascii: "<")
    append(name)
    append(ascii: ">")
  }

  package mutating func close(_ name: String) {
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
  /// The name of the method if the position was not measured with satellites, for example `simulator`; nil for measured
  /// positions.
  package var otherSource: String? {
    switch self {
    case .estimated, .manual, .simulator: name
    case .invalid, .autonomous, .differential, .precise, .rtkFixed, .rtkFloat: nil
    }
  }
}
