import Crypto

/// The secret that every hidden quantity of the cloak follows from: 32 bytes, derived from the device's key.
///
/// It is made once for a device and never rotated: a new key would draw new cells, and answers from several partitions
/// intersect to a place. It does not print itself.
package struct CloakKey: Sendable {
  private let key: SymmetricKey

  /// Derives the key with HKDF-SHA-256 (RFC 5869; no salt, which it allows where the input is uniformly random).
  ///
  /// - Parameter deviceKey: the device's own key, at least 32 bytes from a random source. It is not kept.
  package init(deviceKey: [UInt8]) throws(CloakKeyError) {
    guard deviceKey.count >= Self.count else { throw .deviceKeyTooShort(count: deviceKey.count) }
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: deviceKey), info: Array("onefix cloak v1".utf8), outputByteCount: Self.count)
  }

  /// Bytes in the key, and the least a device key may have.
  private static let count = 32
}

extension CloakKey {
  /// What a pseudo-random number is drawn for. The number leads the message, so that no two uses ever share a draw.
  enum Purpose: UInt8 {
    /// Where in UTC the 15 minute slots begin.
    case slotPhase = 1
    /// Where a node's site lies.
    case site = 2
    /// Where the rows and the columns of the dwell grid begin.
    case dwellPhase = 3
  }

  /// Two numbers, uniform in 0..<1 to 53 bits, that follow from the key and these arguments alone:
  /// the first and the second 8 bytes of HMAC-SHA-256 over ten bytes.
  func draw(_ purpose: Purpose, lattice: UInt8 = 0, row: Int32 = 0, column: Int32 = 0) -> (Double, Double) {
    var message: [UInt8] = [purpose.rawValue, lattice]
    message.reserveCapacity(10)
    message.appendBigEndian(row)
    message.appendBigEndian(column)
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in HMAC<SHA256>.authenticationCode(for: message, using: key).prefix(16).enumerated() {
      if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
    }
    return (Double(words.0 >> 11) * 0x1p-53, Double(words.1 >> 11) * 0x1p-53)
  }
}

extension CloakKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "CloakKey(secret)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why there is no key, and therefore no reduced fix.
package enum CloakKeyError: Error, Equatable, CustomStringConvertible {
  case deviceKeyTooShort(count: Int)

  package var description: String {
    switch self {
    case .deviceKeyTooShort(let count):
      "cannot derive the cloak's key: the device key has \(count) bytes, 32 or more are needed"
    }
  }
}

extension [UInt8] {
  mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
