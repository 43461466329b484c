internal import COpenSSL

/// The password-based key derivation function PBKDF2 with HMAC-SHA-256 (RFC 8018 §5.2).
package enum PBKDF2 {
  /// Derives a hash from a password.
  ///
  /// - Parameters:
  ///   - rounds: The count of iterations.
  ///   - count: The length of the hash in bytes.
  package static func derive(_ password: [UInt8], salt: [UInt8], rounds: Int, count: Int) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: count)
    let password = password.map { CChar(bitPattern: $0) }
    // The counts are the sizes of the arrays.
    let isDone = unsafe PKCS5_PBKDF2_HMAC(
      password, Int32(password.count), salt, Int32(salt.count), Int32(rounds), Library.sha256, Int32(count), &hash)
    Library.check(isDone == 1, "derive the hash of a password")
    return hash
  }
}
