extension Sequence<UInt8> {
  /// The bytes as lower-case hexadecimal text.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Decodes hexadecimal text with two digits for each byte. Returns nil for other text.
  package init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

/// Returns 128 random bits as 32 hexadecimal digits, from the secure random generator of the operating system.
package func randomDigits() -> String {
  var generator = SystemRandomNumberGenerator()
  return (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }.hexadecimal
}
