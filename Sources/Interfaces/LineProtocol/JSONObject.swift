public import Clocks

/// A JSON object under construction, its members in the order in which they are added. (RFC 8259)
///
/// A value that is nil adds nothing: what is not known is absent.
public struct JSONObject: Sendable {
  private var buffer = TextBuffer()

  /// An object without members.
  public init() { buffer.beginObject() }

  /// The object, with what was added so far.
  public var text: String { buffer.text + "}" }

  /// A text, escaped where JSON demands it.
  public mutating func add(_ key: String, _ value: String?) { buffer.add(key, value) }

  /// A whole number.
  public mutating func add(_ key: String, _ value: Int64?) { buffer.add(key, value) }

  /// A whole number.
  public mutating func add(_ key: String, _ value: Int?) { buffer.add(key, value) }

  /// `true` or `false`.
  public mutating func add(_ key: String, _ value: Bool?) { buffer.add(key, value) }

  /// The shortest decimals that give the same value back, at most 10; nothing for what is no finite number.
  public mutating func add(_ key: String, _ value: Double?) { buffer.add(key, value) }

  /// A value that is JSON already.
  public mutating func add(_ key: String, json: String) { buffer.add(key, json: json) }
}

/// JSON written straight into a buffer: `beginObject`, members, `endObject`.
extension TextBuffer {
  /// Begins an object.
  public mutating func beginObject() { append(ascii: "{") }

  /// Ends it.
  public mutating func endObject() { append(ascii: "}") }

  /// A member: a text, escaped where JSON demands it.
  public mutating func add(_ key: String, _ value: String?) {
    guard let value else { return }
    begin(key)
    appendQuoted(value)
  }

  /// A member: a whole number.
  public mutating func add(_ key: String, _ value: Int64?) {
    guard let value else { return }
    begin(key)
    append(value)
  }

  /// A member: a whole number.
  public mutating func add(_ key: String, _ value: Int?) { add(key, value.map(Int64.init)) }

  /// A member: `true` or `false`.
  public mutating func add(_ key: String, _ value: Bool?) {
    guard let value else { return }
    begin(key)
    append(value ? "true" : "false")
  }

  /// A member: the shortest decimals that give the same value back, at most 10; nothing for what is no finite number.
  public mutating func add(_ key: String, _ value: Double?) {
    guard let value, value.isFinite, value.magnitude < 9e8 else { return }
    begin(key)
    append(value)
  }

  /// A member: ISO 8601 with milliseconds.
  public mutating func add(_ key: String, _ value: UTCTime?) {
    guard let value else { return }
    begin(key)
    append(ascii: "\"")
    append(value)
    append(ascii: "\"")
  }

  /// A value that is JSON already.
  public mutating func add(_ key: String, json: String) {
    begin(key)
    append(json)
  }

  /// The key of a member whose value the caller appends.
  public mutating func begin(_ key: String) {
    if bytes.last != UInt8(ascii: "{") { append(ascii: ",") }
    appendQuoted(key)
    append(ascii: ":")
  }

  /// The text as a JSON string.
  public mutating func appendQuoted(_ text: String) {
    append(ascii: "\"")
    let start = count
    append(text)
    // Nearly all text is what it looks like, and bytes are sooner looked through than a String's characters.
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
