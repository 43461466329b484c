/// The encoding base64url without padding (RFC 4648 §5).
package enum Base64URL {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32(16 - 8 * $1.offset) }
      for index in 0...group.count { text.append(letters[Int(bits >> UInt32(18 - 6 * index)) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a base64url text. Padding with `=` is allowed. Returns nil if the text is not valid base64url.
  package static func bytes(of text: String) -> [UInt8]? {
    var digits = text.utf8[...]
    if text.utf8.count.isMultiple(of: 4) {
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for digit in digits {
      guard let value = letters.firstIndex(of: digit) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      bits &= 1 << UInt32(count) - 1
    }
    return bits == 0 && count < 6 ? bytes : nil
  }
}
