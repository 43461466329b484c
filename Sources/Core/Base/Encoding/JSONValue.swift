/// A JSON value that was parsed from a text (RFC 8259).
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  /// An object. If several members have the same name, only the first of these members is kept.
  case object([String: JSONValue])

  /// Parses a JSON text. Returns nil if the text is not JSON, or if its values are nested more deeply than
  /// `JSONReader.maximumDepth`.
  package init?(_ text: some Sequence<UInt8>) {
    var reader = JSONReader(Array(text))
    guard let value = reader.document() else { return nil }
    self = value
  }

  package subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  package var number: Double? { if case .number(let number) = self { number } else { nil } }
  package var string: String? { if case .string(let string) = self { string } else { nil } }
  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  package var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

  package var integer: Int? { number.flatMap { Int(exactly: $0) } }

  package func integer(in range: ClosedRange<Int>) -> Int? { integer.flatMap { range.contains($0) ? $0 : nil } }
}

/// A type whose values can be created from JSON values.
package protocol JSONReadable {
  /// Returns the Swift value of a JSON value; nil if the JSON value has a different type.
  static func read(_ json: JSONValue) -> Self?
}

extension String: JSONReadable { package static func read(_ json: JSONValue) -> String? { json.string } }
extension Int: JSONReadable { package static func read(_ json: JSONValue) -> Int? { json.integer } }
extension Double: JSONReadable { package static func read(_ json: JSONValue) -> Double? { json.number } }
extension Bool: JSONReadable { package static func read(_ json: JSONValue) -> Bool? { json.bool } }
extension JSONValue: JSONReadable { package static func read(_ json: JSONValue) -> JSONValue? { json } }

/// The error for a member of a JSON object that is missing or has the wrong type.
package struct JSONMemberError: Error, CustomStringConvertible {
  package let description: String
}

extension JSONValue {
  package func member<Value: JSONReadable>(_ key: String) throws(JSONMemberError) -> Value {
    guard let value: Value = try member(key) else { throw JSONMemberError(description: "\(key) is missing") }
    return value
  }

  /// Returns the value of a member of a JSON object; nil if the member is missing or null. Throws an error if the value
  /// has the wrong type.
  package func member<Value: JSONReadable>(_ key: String) throws(JSONMemberError) -> Value? {
    guard let json = self[key], json != .null else { return nil }
    guard let value = Value.read(json) else {
      let hasFraction = Value.self == Int.self && json.number != nil
      throw JSONMemberError(description: "\(key) \(hasFraction ? "cannot be read" : "has the wrong type")")
    }
    return value
  }
}

/// A parser of one JSON document. `maximumDepth` limits the depth of nested values, so that the stack cannot overflow.
struct JSONReader {
  static let maximumDepth = 8

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func document() -> JSONValue? {
    guard let value = value(depth: 0) else { return nil }
    skipSpace()
    return position == bytes.count ? value : nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func consume(word: StaticString) -> Bool {
    for index in 0..<word.utf8CodeUnitCount {
      let expected = unsafe word.utf8Start[index]
      guard position + index < bytes.count, bytes[position + index] == expected else { return false }
    }
    position += word.utf8CodeUnitCount
    return true
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth <= JSONReader.maximumDepth else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return consume(word: "true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return consume(word: "false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return consume(word: "null") ? .null : nil
    default: return number().map { .number($0) }
    }
  }

  private mutating func object(depth: Int) -> JSONValue? {
    position += 1
    var members: [String: JSONValue] = [:]
    skipSpace()
    if consume("}") { return .object(members) }
    while true {
      skipSpace()
      guard let name = string() else { return nil }
      skipSpace()
      guard consume(":"), let value = value(depth: depth + 1) else { return nil }
      if members[name] == nil { members[name] = value }
      skipSpace()
      if consume("}") { return .object(members) }
      guard consume(",") else { return nil }
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    position += 1
    var values: [JSONValue] = []
    skipSpace()
    if consume("]") { return .array(values) }
    while true {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
      skipSpace()
      if consume("]") { return .array(values) }
      guard consume(",") else { return nil }
    }
  }

  /// Parses a finite number (RFC 8259 §6).
  private mutating func number() -> Double? {
    let start = position
    func digits() -> Int {
      let first = position
      while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
      return position - first
    }
    _ = consume("-")
    let first = next
    let whole = digits()
    guard whole > 0, whole == 1 || first != UInt8(ascii: "0") else { return nil }
    if consume(".") { guard digits() > 0 else { return nil } }
    if consume("e") || consume("E") {
      if !consume("+") { _ = consume("-") }
      guard digits() > 0 else { return nil }
    }
    guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
      return nil
    }
    return number
  }

  private mutating func string() -> String? {
    guard consume("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        text += Array(String(Character(scalar)).utf8)
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return unicode()
    default: return nil
    }
  }

  /// Parses the hexadecimal digits of the escape `\u`, and the second escape of a surrogate pair. A single surrogate
  /// becomes U+FFFD.
  private mutating func unicode() -> Unicode.Scalar? {
    guard let unit = fourDigits() else { return nil }
    guard (0xD800...0xDFFF).contains(unit) else { return Unicode.Scalar(unit) }
    let before = position
    if unit < 0xDC00, consume("\\"), consume("u"), let low = fourDigits(), (0xDC00...0xDFFF).contains(low) {
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }
    position = before
    return "\u{FFFD}"
  }

  private mutating func fourDigits() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    position += 4
    return unit
  }
}
