/// A value that can be written as JSON (RFC 8259).
public protocol JSONWritable: Sendable {
  /// Whether JSON can express the value. Some numbers, such as NaN, have no JSON form.
  var isJSON: Bool { get }

  /// Appends the JSON text of the value to a buffer.
  func write(to buffer: inout TextBuffer)
}

extension JSONWritable {
  /// Always true. Types with values that JSON cannot express, such as `Double`, replace this default.
  public var isJSON: Bool { true }
}

/// A JSON object (RFC 8259) that is built by adding members. The members keep the order in which they were added. A
/// member whose value is nil is omitted.
public struct JSONObject: JSONWritable, ExpressibleByDictionaryLiteral {
  private var buffer = TextBuffer()

  public init(dictionaryLiteral members: (String, (any JSONWritable)?)...) {
    buffer.beginObject()
    for (key, value) in members { add(key, value) }
  }

  /// Returns the JSON text of an object. The argument can be a dictionary literal.
  public static func text(_ members: JSONObject) -> String { members.text }

  public static func + (left: JSONObject, right: JSONObject) -> JSONObject {
    var sum = left
    sum.add(right)
    return sum
  }

  /// The JSON text of the object.
  public var text: String { buffer.text + "}" }

  /// Adds a member at the end of the object. If the value is nil, adds nothing.
  public mutating func add(_ key: String, _ value: (any JSONWritable)?) {
    if let value { buffer.add(key, value) }
  }

  /// Adds the members of another object at the end of this object, in their order.
  public mutating func add(_ other: JSONObject) {
    guard other.buffer.count > 1 else { return }
    if buffer.count > 1 { buffer.append(ascii: ",") }
    buffer.append(other.buffer.bytes.dropFirst())
  }

  /// Appends the JSON text of the object to a buffer.
  public func write(to buffer: inout TextBuffer) {
    buffer.append(self.buffer.bytes)
    buffer.endObject()
  }
}

/// A value that is already JSON text. The text is written without quotes or escapes.
public struct JSONText: JSONWritable {
  private let text: String

  /// Creates a value from a text, which is not checked and must be valid JSON.
  public init(_ text: String) { self.text = text }

  /// Appends the JSON text unchanged to a buffer.
  public func write(to buffer: inout TextBuffer) { buffer.append(text) }
}

extension String: JSONWritable {
  public func write(to buffer: inout TextBuffer) { buffer.appendQuoted(self) }
}

extension Int64: JSONWritable {
  public func write(to buffer: inout TextBuffer) { buffer.append(self) }
}

extension Int: JSONWritable {
  public func write(to buffer: inout TextBuffer) { buffer.append(Int64(self)) }
}

extension Bool: JSONWritable {
  public func write(to buffer: inout TextBuffer) { buffer.append(self ? "true" : "false") }
}

extension Double: JSONWritable {
  public var isJSON: Bool { isFinite && magnitude < 9e8 }

  public func write(to buffer: inout TextBuffer) { buffer.append(self) }
}

extension UTCTime: JSONWritable {
  /// Appends the time as a JSON string in ISO 8601, as in `"2026-11-21T07:31:34.200Z"`.
  public func write(to buffer: inout TextBuffer) {
    buffer.append(ascii: "\"")
    buffer.append(self)
    buffer.append(ascii: "\"")
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  public func write(to buffer: inout TextBuffer) {
    buffer.append(ascii: "[")
    for (index, element) in enumerated() {
      if index > 0 { buffer.append(ascii: ",") }
      element.write(to: &buffer)
    }
    buffer.append(ascii: "]")
  }
}

/// Functions that write a JSON object into a buffer. Call `beginObject`, add the members, then call `endObject`.
extension TextBuffer {
  /// Appends `{`, the beginning of a JSON object.
  public mutating func beginObject() { append(ascii: "{") }

  /// Appends `}`, the end of a JSON object.
  public mutating func endObject() { append(ascii: "}") }

  /// Appends a member of a JSON object. If the value is nil, or JSON cannot express the value, appends nothing.
  @inlinable
  public mutating func add<Value: JSONWritable>(_ key: String, _ value: Value?) {
    guard let value, value.isJSON else { return }
    begin(key)
    value.write(to: &self)
  }

  /// Appends the key of a member and a colon, after a comma if necessary. The caller appends the value.
  public mutating func begin(_ key: String) {
    if bytes.last != UInt8(ascii: "{") { append(ascii: ",") }
    appendQuoted(key)
    append(ascii: ":")
  }

  /// Appends a text as a JSON string, in quotation marks and with escapes (RFC 8259 §7).
  public mutating func appendQuoted(_ text: String) {
    append(ascii: "\"")
    let start = count
    append(text)
    // Most strings need no escapes. A search of the bytes is faster than a search of the characters of a String.
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
      append("\\u" + scalar.value.digits(4, radix: 16))
    default: append(String(scalar))
    }
  }
}
