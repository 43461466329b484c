internal import COpenSSL

/// The X25519 key agreement (RFC 7748). Two programs compute the same secret, each from its own private key and the
/// other program's public key.
package enum X25519 {
  /// The length of a public key, a private key and a shared secret in bytes.
  package static let byteCount = 32

  /// A checked X25519 public key: a key agreement with this key never gives a secret of only zeros (RFC 7748 §6.1).
  package struct PublicKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Creates a public key from 32 bytes. Returns nil for any other count of bytes, and for a key with which the
    /// shared secret contains only zeros.
    package init?(_ bytes: [UInt8]) {
      self.bytes = bytes
      guard bytes.count == byteCount, sharedSecret(SecretKey(), bytes) != nil else { return nil }
    }

    /// Creates the public key that belongs to a private key. The private key must have 32 bytes.
    package init(of key: SecretKey) {
      let pointer = unsafe privateKey(key)
      defer { unsafe EVP_PKEY_free(pointer) }
      var bytes = [UInt8](repeating: 0, count: byteCount)
      var count = byteCount
      Library.check(unsafe EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, "compute a public key")
      self.bytes = bytes
    }
  }

  /// Returns the shared secret of a key agreement between a private key of 32 bytes and a public key.
  package static func sharedSecret(of key: SecretKey, with publicKey: PublicKey) -> [UInt8] {
    let secret = sharedSecret(key, publicKey.bytes)
    Library.check(secret != nil, "agree on a secret")
    return secret ?? []
  }

  /// Returns the shared secret of a key agreement; nil if all bytes of the secret are zero.
  private static func sharedSecret(_ key: SecretKey, _ publicKey: [UInt8]) -> [UInt8]? {
    let own = unsafe privateKey(key)
    defer { unsafe EVP_PKEY_free(own) }
    let other = unsafe EVP_PKEY_new_raw_public_key_ex(Library.context, "X25519", nil, publicKey, publicKey.count)
    defer { unsafe EVP_PKEY_free(other) }
    let agreement = unsafe EVP_PKEY_CTX_new_from_pkey(Library.context, own, nil)
    defer { unsafe EVP_PKEY_CTX_free(agreement) }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var count = byteCount
    let isDone =
      unsafe EVP_PKEY_derive_init(agreement) == 1 && EVP_PKEY_derive_set_peer(agreement, other) == 1
      && EVP_PKEY_derive(agreement, &bytes, &count) == 1
    return isDone && bytes.contains { $0 != 0 } ? bytes : nil
  }

  private static func privateKey(_ key: SecretKey) -> OpaquePointer? {
    let bytes = key.bytes
    precondition(bytes.count == byteCount, "a private key of X25519 has 32 bytes")
    return unsafe EVP_PKEY_new_raw_private_key_ex(Library.context, "X25519", nil, bytes, bytes.count)
  }
}
