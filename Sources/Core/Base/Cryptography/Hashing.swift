internal import COpenSSL
internal import Synchronization

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
  package static let byteCount = 32

  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: byteCount)
    // The function writes `byteCount` bytes.
    Library.check(unsafe EVP_Digest(bytes, bytes.count, &hash, nil, Library.sha256, nil) == 1, "compute a hash")
    return hash
  }
}

/// The message authentication code HMAC-SHA-256 (RFC 2104) with a fixed key. The initializer prepares the key for all
/// messages.
package final class Authenticator: Sendable {
  private let context: Mutex<HMACContext>

  package convenience init(_ key: SecretKey) { self.init(key.bytes) }

  init(_ key: [UInt8]) { context = Mutex(HMACContext(key)) }

  /// Returns the 32-byte authentication code of a message.
  package func code(of message: [UInt8]) -> [UInt8] { context.withLock { $0.code(of: message) } }

  /// Returns whether `code` is the authentication code of a message. The comparison takes the same time for correct and
  /// wrong codes.
  package func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool {
    isEqualInConstantTime(self.code(of: message), code)
  }
}

@safe private struct HMACContext: ~Copyable {
  private let pointer: OpaquePointer?

  init(_ key: [UInt8]) {
    unsafe pointer = EVP_MAC_CTX_new(Library.hmac)
    var digest = Array("SHA256".utf8CString)
    let isDone = unsafe digest.withUnsafeMutableBufferPointer { digest in
      var parameters = unsafe [
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.baseAddress, 0), OSSL_PARAM_construct_end(),
      ]
      return unsafe EVP_MAC_init(pointer, key, key.count, &parameters) == 1
    }
    Library.check(isDone, "prepare a key")
  }

  deinit { unsafe EVP_MAC_CTX_free(pointer) }

  mutating func code(of message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: SHA256.byteCount)
    var count = 0
    // Without a key, the first function starts a new message with the key of the context.
    let isDone =
      unsafe EVP_MAC_init(pointer, nil, 0, nil) == 1 && EVP_MAC_update(pointer, message, message.count) == 1
      && EVP_MAC_final(pointer, &code, &count, code.count) == 1
    Library.check(isDone, "compute an authentication code")
    return code
  }
}

/// The key derivation function HKDF-SHA256 (RFC 5869).
package enum HKDF {
  /// Derives a key of 256 bits. Each value of `info` gives a different key.
  package static func derive(from secret: SecretKey, info: [UInt8]) -> SecretKey {
    SecretKey(expand(extract(secret.bytes, salt: []), info: info, count: 32))
  }

  static func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] {
    // No salt is the same as 32 zeros. (RFC 5869 §2.2)
    Authenticator(salt.isEmpty ? [UInt8](repeating: 0, count: SHA256.byteCount) : salt).code(of: secret)
  }

  /// The second step of HKDF (RFC 5869 §2.3): expands a pseudorandom key to the required length.
  ///
  /// - Parameter count: The length of the result in bytes, at most 255 × 32.
  static func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    let authenticator = Authenticator(key)
    var bytes: [UInt8] = []
    var block: [UInt8] = []
    for number in 1...255 where bytes.count < count {
      block = authenticator.code(of: block + info + [UInt8(number)])
      bytes += block
    }
    return Array(bytes.prefix(count))
  }
}
