public import Clocks

/// Text under construction, as UTF-8 in storage that is used again.
public struct TextBuffer: Sendable {
  /// What was appended so far, as UTF-8.
  public private(set) var bytes: [UInt8] = []

  /// Room for so many bytes; it grows where they do not suffice.
  public init(capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  /// The same as a String.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// In bytes.
  public var count: Int { bytes.count }

  /// Empties it, and keeps the storage.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Takes back what came after the first so many bytes.
  public mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

  /// A text as it is.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// A text, and what stands before it; nothing at all where there is none.
  public mutating func append(_ mark: String, _ text: String?) {
    guard let text else { return }
    append(mark)
    append(text)
  }

  /// A text as one word: whatever would end the word or the line is a `-`.
  mutating func append(word text: String) {
    let start = bytes.count
    append(text)
    for index in start..<bytes.count where bytes[index] <= UInt8(ascii: " ") || bytes[index] == 0x7F {
      bytes[index] = UInt8(ascii: "-")
    }
  }

  /// A number, and what stands before it; nothing at all where there is none.
  public mutating func append(_ mark: String, _ number: Int?) {
    guard let number else { return }
    append(mark)
    append(Int64(number))
  }

  /// What another has.
  public mutating func append(_ other: TextBuffer) { bytes.append(contentsOf: other.bytes) }

  /// One character of ASCII.
  public mutating func append(ascii character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

  /// ISO 8601 with milliseconds.
  public mutating func append(_ time: UTCTime) { time.appendISO8601(to: &bytes) }

  /// Decimal digits, after a `-` where it is negative.
  public mutating func append(_ value: Int64) {
    if value < 0 { append(ascii: "-") }
    appendDigits(value.magnitude)
  }

  /// The shortest decimals that give the same value back, at most 10, and never an exponent. Whether there are any:
  /// there are none for what is no finite number, or of 900 million and more.
  @discardableResult
  public mutating func append(_ value: Double) -> Bool {
    let magnitude = value.magnitude
    guard magnitude < TextBuffer.exactDecimals else { return appendLarge(value) }
    // Below the limit two numbers of ten decimals are farther apart than two values, so that the nearest one is both
    // the one that gives the value back, where one does, and the rounded one, where none does.
    let scaled = UInt64((magnitude * 1e10).rounded())
    if value < 0, scaled != 0 { append(ascii: "-") }
    appendScaled(scaled)
    return true
  }

  /// 2⁵¹ / 10¹⁰, beyond which the product of a value and 10¹⁰ may be off by one.
  private static let exactDecimals = 225_000.0

  @inline(never)
  private mutating func appendLarge(_ value: Double) -> Bool {
    guard value.isFinite, value.magnitude < 9e8 else { return false }
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

  /// So many 10⁻¹⁰, without zeros at the end but with one decimal at least.
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
