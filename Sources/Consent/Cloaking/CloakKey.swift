import Base

/// The secret key of the algorithm for approximate positions. The key is derived from the device key and never changes.
/// With the answers of two keys, an attacker could intersect two areas and get a smaller area.
package struct CloakKey: Sendable {
  private let authenticator: Authenticator

  /// Derives the key from the device key (at least 32 random bytes) with HKDF-SHA-256 (RFC 5869). For random input, the
  /// RFC allows a derivation without a salt.
  package init(deviceKey: [UInt8]) throws(CloakKeyError) {
    guard deviceKey.count >= Self.count else { throw .deviceKeyTooShort(count: deviceKey.count) }
    authenticator = Authenticator(HKDF.derive(from: SecretKey(deviceKey), info: Array("onefix cloak v1".utf8)))
  }

  private static let count = 32
}

extension CloakKey {
  /// The purpose of a pseudo-random number. The raw value is the first byte of the message for the HMAC, so that each
  /// purpose gets its own numbers.
  enum Purpose: UInt8 {
    /// The secret delay after each quarter hour of UTC at which the approximate position may change.
    case slotPhase = 1
    /// The position of the secret site near a point of the public lattice (`SecretPartition`).
    case site = 2
    /// The secret shift of the rows and the columns of the grid of 500 m (`DwellGrid`).
    case dwellPhase = 3
    /// The secret vector of a point of the lattice of 135 km (`SharedOffset`).
    case sharedOffset = 4
  }

  /// Returns two pseudo-random numbers, uniform in 0..<1 with a resolution of 53 bits. The numbers come from the first
  /// and the second 8 bytes of an HMAC-SHA-256 over the arguments.
  func draw(_ purpose: Purpose, lattice: UInt8 = 0, row: Int32 = 0, column: Int32 = 0) -> (Double, Double) {
    var message: [UInt8] = [purpose.rawValue, lattice]
    message.reserveCapacity(10)
    message.appendBigEndian(row)
    message.appendBigEndian(column)
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in authenticator.code(of: message).prefix(16).enumerated() {
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

/// The error that the gateway cannot derive the key for approximate positions.
package enum CloakKeyError: Error, Equatable, CustomStringConvertible {
  case deviceKeyTooShort(count: Int)

  package var description: String {
    switch self {
    case .deviceKeyTooShort(let count):
      "cannot derive the key for reduced accuracy: the device key has \(count) bytes, but needs 32 or more"
    }
  }
}
