import Crypto

/// The secret of the cloak: 32 bytes, derived from the device key. Every secret value of the cloak follows from it.
///
/// A device has the same key for its whole life. A new key would draw new cells, and the answers of several partitions
/// have a small intersection. The description of the key does not contain the secret.
package struct CloakKey: Sendable {
  private let key: SymmetricKey

  /// Derives the key with HKDF-SHA-256 (RFC 5869). There is no salt, which the RFC allows if the input is uniformly
  /// random.
  ///
  /// - Parameter deviceKey: The device key, at least 32 bytes from a random source. This type does not keep it.
  /// - Throws: `CloakKeyError` if the device key is too short.
  package init(deviceKey: [UInt8]) throws(CloakKeyError) {
    guard deviceKey.count >= Self.count else { throw .deviceKeyTooShort(count: deviceKey.count) }
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: deviceKey), info: Array("onefix cloak v1".utf8), outputByteCount: Self.count)
  }

  /// The length of the key, and the minimum length of a device key, in bytes.
  private static let count = 32
}

extension CloakKey {
  /// The purpose of a pseudo-random number. It is the first byte of the message, so two purposes never share a number.
  enum Purpose: UInt8 {
    /// The phase of the 15 minute slots in UTC.
    case slotPhase = 1
    /// The position of a node's site.
    case site = 2
    /// The phase of the rows and columns of the dwell grid.
    case dwellPhase = 3
  }

  /// Returns two numbers, uniform in 0..<1 to 53 bits, that depend only on the key and these arguments: the first and
  /// the second 8 bytes of HMAC-SHA-256 over ten bytes.
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

/// The reason why the cloak has no key, so that no reduced fix is available.
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
