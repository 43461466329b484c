/// Public-key encryption of one message: HPKE (RFC 9180) in base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305
/// (KEM 0x0020, KDF 0x0001, AEAD 0x0003).
package enum HPKE {
  private static let agreement = Array("KEM".utf8) + [0, 0x20]
  private static let suite = Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, 3]

  /// Encrypts a message so that only the owner of the private key for `publicKey` can decrypt it.
  /// - Parameters:
  ///   - info: The parameter `info` of RFC 9180 §5.1.
  ///   - context: Additional bytes that are authenticated, but are not in the result.
  ///   - ephemeral: A private key that no other message uses.
  /// - Returns: The public key of `ephemeral` (32 bytes), the encrypted message and the authentication tag (16 bytes).
  package static func seal(
    _ message: [UInt8], for publicKey: X25519.PublicKey, info: [UInt8], context: [UInt8],
    ephemeral: SecretKey = SecretKey()
  ) -> [UInt8] {
    let sender = X25519.PublicKey(of: ephemeral).bytes
    let shared = X25519.sharedSecret(of: ephemeral, with: publicKey)
    let (key, nonce) = schedule(shared, sender + publicKey.bytes, info)
    return sender + ChaChaPoly.seal(message, with: key, nonce: nonce, context: context)
  }

  /// Returns the encryption key and the nonce of the first message (RFC 9180 §4.1 and §5.1).
  /// - Parameters:
  ///   - shared: The result of the X25519 key agreement.
  ///   - publicKeys: The ephemeral public key of the sender, and then the public key of the recipient.
  ///   - info: The parameter `info` of RFC 9180 §5.1.
  package static func schedule(_ shared: [UInt8], _ publicKeys: [UInt8], _ info: [UInt8]) -> (SecretKey, [UInt8]) {
    let agreed = extract(agreement, salt: [], "eae_prk", shared)
    let secret = expand(agreement, agreed, "shared_secret", publicKeys, 32)
    // The base mode, whose number is 0, has no secret of its own: `psk` and its id are empty.
    let context = [0] + extract(suite, salt: [], "psk_id_hash", []) + extract(suite, salt: [], "info_hash", info)
    let schedule = extract(suite, salt: secret, "secret", [])
    return (
      SecretKey(expand(suite, schedule, "key", context, 32)),
      expand(suite, schedule, "base_nonce", context, ChaChaPoly.nonceCount)
    )
  }

  private static func extract(_ suite: [UInt8], salt: [UInt8], _ label: String, _ secret: [UInt8]) -> [UInt8] {
    HKDF.extract(Array("HPKE-v1".utf8) + suite + Array(label.utf8) + secret, salt: salt)
  }

  private static func expand(
    _ suite: [UInt8], _ key: [UInt8], _ label: String, _ info: [UInt8], _ count: Int
  ) -> [UInt8] {
    HKDF.expand(
      key, info: [0, UInt8(count)] + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info, count: count)
  }
}
