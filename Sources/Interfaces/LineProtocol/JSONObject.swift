public import Clocks

/// A JSON object under construction. Its members have the order in which they were added. (RFC 8259)
///
/// If the value of a member is nil, the object does not get this member.
public struct JSONObject: Sendable {
  private var buffer = TextBuffer()

  /// Creates an object without members.
  public init() { buffer.beginObject() }

  /// The object with the members that were added so far.
  public var text: String { buffer.text + "}" }

  /// Adds a string, escaped as JSON requires.
  public mutating func add(_ key: String, _ value: String?) { buffer.add(key, value) }

  /// Adds an integer.
  public mutating func add(_ key: String, _ value: Int64?) { buffer.add(key, value) }

  /// Adds an integer.
  public mutating func add(_ key: String, _ value: Int?) { buffer.add(key, value) }

  /// Adds `true` or `false`.
  public mutating func add(_ key: String, _ value: Bool?) { buffer.add(key, value) }

  /// Adds a number. The text has the fewest decimals that give the same value, but at most 10. If the number is not
  /// finite, or if its magnitude is 9e8 or more, the function adds no member.
  public mutating func add(_ key: String, _ value: Double?) { buffer.add(key, value) }

  /// Adds a value that is already a JSON text.
  public mutating func add(_ key: String, json: String) { buffer.add(key, json: json) }
}

/// Functions that write a JSON object directly into a buffer. Call `beginObject`, then add the members, then call
/// `endObject`.
extension TextBuffer {
  /// Begins an object.
  public mutating func beginObject() { append(ascii: "{") }

  /// Ends an object.
  public mutating func endObject() { append(ascii: "}") }

  /// Adds a string, escaped as JSON requires.
  public mutating func add(_ key: String, _ value: String?) {
    guard let value else { return }
    begin(key)
    appendQuoted(value)
  }

  /// Adds an integer.
  public mutating func add(_ key: String, _ value: Int64?) {
    guard let value else { return }
    begin(key)
    append(value)
  }

  /// Adds an integer.
  public mutating func add(_ key: String, _ value: Int?) { add(key, value.map(Int64.init)) }

  /// Adds `true` or `false`.
  public mutating func add(_ key: String, _ value: Bool?) {
    guard let value else { return }
    begin(key)
    append(value ? "true" : "false")
  }

  /// Adds a number. The text has the fewest decimals that give the same value, but at most 10. If the number is not
  /// finite, or if its magnitude is 9e8 or more, the function adds no member.
  public mutating func add(_ key: String, _ value: Double?) {
    guard let value, value.isFinite, value.magnitude < 9e8 else { return }
    begin(key)
    append(value)
  }

  /// Adds a time in ISO 8601 with milliseconds.
  public mutating func add(_ key: String, _ value: UTCTime?) {
    guard let value else { return }
    begin(key)
    append(ascii: "\"")
    append(value)
    append(ascii: "\"")
  }

  /// Adds a value that is already a JSON text.
  public mutating func add(_ key: String, json: String) {
    begin(key)
    append(json)
  }

  /// Appends the key of a member. The caller appends the value.
  public mutating func begin(_ key: String) {
    if bytes.last != UInt8(ascii: "{") { append(ascii: ",") }
    appendQuoted(key)
    append(ascii: ":")
  }

  /// Appends a text as a JSON string.
  public mutating func appendQuoted(_ text: String) {
    append(ascii: "\"")
    let start = count
    append(text)
    // Most strings need no escape. A search through the bytes shows this faster than a search through the characters of
    // a String.
    if !isPlain(from: start) {
      truncate(to: start)
      for scalar in text.unicodeScalars { appendEscaped(scalar) }
    }
    append(ascii: "\"")
  }

  private func isPlain(from start: Int) -> Bool {
    for index in start..<count {
      let byte = bytes[index]
      if byte < 0x20 || byte >= 0x7F || byte == 0x22 || byte == 0x5C { return false }
    }
    return true
  }

  private mutating func appendEscaped(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case _
    where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value):
      let digits = String(scalar.value, radix: 16)
      append("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
    default: append(String(scalar))
    }
  }
}
