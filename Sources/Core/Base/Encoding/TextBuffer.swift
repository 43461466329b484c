/// A buffer for the construction of a UTF-8 text. After `removeAll`, the next text uses the same memory.
public struct TextBuffer: Sendable {
  /// The text in the buffer as UTF-8 bytes.
  public private(set) var bytes: [UInt8] = []

  /// Creates an empty buffer.
  /// - Parameter capacity: The count of bytes for which memory is reserved.
  public init(capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  /// The text in the buffer as a string. Each access copies the bytes.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The count of bytes in the buffer.
  public var count: Int { bytes.count }

  /// Removes all bytes and keeps the allocated memory for the next text.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Removes bytes from the end, so that the first `count` bytes stay. The buffer must have at least `count` bytes.
  public mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

  /// Appends the UTF-8 bytes of a string.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends `mark` and then the text. If the text is nil, appends nothing.
  public mutating func append(_ mark: String, _ text: String?) {
    guard let text else { return }
    append(mark)
    append(text)
  }

  /// Appends a text, in which `-` replaces each space and each ASCII control character.
  package mutating func append(word text: String) {
    let start = bytes.count
    append(text)
    for index in start..<bytes.count where bytes[index] <= UInt8(ascii: " ") || bytes[index] == 0x7F {
      bytes[index] = UInt8(ascii: "-")
    }
  }

  /// Appends `mark` and then the decimal digits of the number. If the number is nil, appends nothing.
  public mutating func append(_ mark: String, _ number: Int?) {
    guard let number else { return }
    append(mark)
    append(Int64(number))
  }

  /// Appends bytes without a check. The bytes must be UTF-8.
  public mutating func append(_ text: some Sequence<UInt8>) { bytes.append(contentsOf: text) }

  /// Appends one ASCII character. Any other character stops the program.
  public mutating func append(ascii character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

  /// Appends a time in ISO 8601, as in `2026-11-21T07:31:34.200Z`.
  public mutating func append(_ time: UTCTime) { time.appendISO8601(to: &bytes) }

  /// Appends the decimal digits of an integer, with `-` before a negative integer.
  public mutating func append(_ value: Int64) {
    if value < 0 { append(ascii: "-") }
    appendDigits(value.magnitude)
  }

  /// Appends a number without an exponent, with the fewest decimals that give the same value, at most 10.
  ///
  /// - Returns: Whether the number was appended; false if the number is not finite, or if its magnitude is 900 million
  ///   or more.
  @discardableResult
  public mutating func append(_ value: Double) -> Bool {
    let magnitude = value.magnitude
    guard magnitude < TextBuffer.exactDecimals else { return appendLarge(value) }
    // Below `exactDecimals`, adjacent Double values are less than 10⁻¹⁰ apart. Therefore at most one number with
    // ten decimals has the same Double value as `value`. If there is such a number, the rounding finds it. If there
    // is none, the rounding finds the number with ten decimals that is nearest to `value`.
    let scaled = UInt64((magnitude * 1e10).rounded())
    if value < 0, scaled != 0 { append(ascii: "-") }
    appendScaled(scaled)
    return true
  }

  /// The limit, about 2⁵¹ / 10¹⁰, for the fast conversion of a number to ten decimals. Below this limit, the
  /// product with 10¹⁰ is exact after rounding to an integer.
  private static let exactDecimals = 225_000.0

  @inline(never)
  private mutating func appendLarge(_ value: Double) -> Bool {
    guard value.magnitude < 9e8 else { return false }
    let shortest = value.description
    if let point = shortest.utf8.firstIndex(of: UInt8(ascii: ".")),
      shortest.utf8.distance(from: point, to: shortest.utf8.endIndex) <= 11
    {
      append(shortest)
    } else {
      if value < 0 { append(ascii: "-") }
      appendScaled(UInt64((value.magnitude * 1e10).rounded()))
    }
    return true
  }

  /// Appends `scaled` × 10⁻¹⁰ as a decimal number, without trailing zeros but with at least one decimal.
  private mutating func appendScaled(_ scaled: UInt64) {
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: 10_000_000_000)
    appendDigits(whole)
    append(ascii: ".")
    var rest = fraction
    repeat {
      let (digit, remainder) = (rest * 10).quotientAndRemainder(dividingBy: 10_000_000_000)
      bytes.append(UInt8(truncatingIfNeeded: 0x30 &+ digit))
      rest = remainder
    } while rest != 0
  }

  private mutating func appendDigits(_ value: UInt64) {
    let (tens, ones) = value.quotientAndRemainder(dividingBy: 10)
    if tens > 0 { appendDigits(tens) }
    bytes.append(UInt8(truncatingIfNeeded: 0x30 &+ ones))
  }
}
