import Base

/// The salted hash of a PIN, computed with PBKDF2.
package struct PINHash: Hashable, Sendable, CustomStringConvertible {
  /// The count of rounds of PBKDF2 with HMAC-SHA-256, which take about a second on a slow board (OWASP Password Storage
  /// Cheat Sheet, 2023).
  package static let rounds = 600_000
  /// The permitted length of a PIN, in characters.
  package static let lengths = 4...32

  /// The name of the hash function in the text form of a hash.
  private static let scheme = "pbkdf2-sha256"
  /// The length of the hash in bytes.
  private static let size = 32

  private let rounds: Int
  private let salt: [UInt8]
  private let hash: [UInt8]

  /// Computes the hash of a new PIN.
  /// - Parameters:
  ///   - salt: 16 random bytes.
  ///   - rounds: The count of rounds of PBKDF2, 1 to 10,000,000.
  /// - Throws: `PINError.unsuitable` if the length or a character of the PIN is not permitted.
  package init(
    _ pin: String, salt: [UInt8] = randomBytes(16), rounds: Int = Self.rounds
  ) throws(PINError) {
    guard Self.isSuitable(pin) else { throw PINError.unsuitable }
    self.salt = salt
    self.rounds = rounds
    hash = Self.derive(pin, salt, rounds)
  }

  /// Parses the text form of a hash (see `description`). The result is nil for any other text.
  package init?(_ text: String) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 4, words[0] == Self.scheme, let rounds = Int(words[1]), (1...10_000_000).contains(rounds),
      let salt = [UInt8](hexadecimal: words[2]), salt.count >= 8, let hash = [UInt8](hexadecimal: words[3]),
      hash.count == Self.size
    else { return nil }
    self.rounds = rounds
    self.salt = salt
    self.hash = hash
  }

  /// The text form of the hash: the function, the count of rounds, the salt and the hash, as in `pbkdf2-sha256 600000
  /// <salt> <hash>`. The last two are hexadecimal.
  package var description: String { "\(Self.scheme) \(rounds) \(salt.hexadecimal) \(hash.hexadecimal)" }

  /// Returns whether a PIN has this hash. The time of the comparison does not depend on the result.
  package func matches(_ pin: String) -> Bool {
    isEqualInConstantTime(Self.derive(pin, salt, rounds), hash)
  }

  /// Returns whether a PIN is permitted: 4 to 32 ASCII characters without spaces. Every terminal can type such
  /// characters.
  package static func isSuitable(_ pin: String) -> Bool {
    lengths.contains(pin.utf8.count) && pin.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static func derive(_ pin: String, _ salt: [UInt8], _ rounds: Int) -> [UInt8] {
    PBKDF2.derive(Array(pin.utf8), salt: salt, rounds: rounds, count: size)
  }
}
