import Base

/// The public key with which the gateway encrypts the fixes of one app, so that the operator of the MQTT broker cannot
/// read the fixes.
///
/// The scheme is HPKE in its base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305. (RFC 9180 §7: KEM 0x0020, KDF
/// 0x0001, AEAD 0x0003)
package struct RecipientKey: Hashable, Sendable {
  /// The parameter `info` of HPKE, which separates this use of a key from other uses. (RFC 9180 §5.1)
  package static let info = "onefix fix 1"

  private let key: X25519.PublicKey

  /// Creates a key from the text of an X25519 public key: 32 bytes in base64url (RFC 4648 §5). The result is nil for
  /// any other text, and for a weak key (RFC 9180 §7.1.4).
  package init?(_ text: String) {
    guard let key = Base64URL.bytes(of: text).flatMap(X25519.PublicKey.init) else { return nil }
    self.key = key
  }

  /// The step of the encrypted text's length, in bytes. Padding makes the length a multiple of this step, so that the
  /// length does not reveal the name of a place.
  static let lengthClass = 256

  /// Encrypts a JSON text. Returns `{"id":…,"sealed":…}`, where `sealed` is the encapsulated key (32 bytes) and the
  /// ciphertext in base64url.
  ///
  /// The encryption also authenticates the id. Spaces at the end pad the text to a multiple of `lengthClass`; readers
  /// of JSON ignore such spaces (RFC 8259 §2).
  func seal(_ json: String, id: String) -> String {
    let text = Array(json.utf8)
    let padding = (Self.lengthClass - text.count % Self.lengthClass) % Self.lengthClass
    let sealed = HPKE.seal(
      text + [UInt8](repeating: UInt8(ascii: " "), count: padding), for: key, info: Array(Self.info.utf8),
      context: Array(id.utf8))
    return JSONObject.text(["id": id, "sealed": Base64URL.text(of: sealed)])
  }
}
