package import Crypto
import Encoding
import FoundationEssentials

/// The public key of an app, with which the gateway encrypts the app's fixes. The operator of the broker therefore
/// cannot read them. The scheme is HPKE in its base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305. (RFC 9180 §7:
/// KEM 0x0020, KDF 0x0001, AEAD 0x0003)
package struct RecipientKey: Hashable, Sendable {
  package static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
  /// The parameter `info` of RFC 9180 §5.1.
  package static let info = "onefix fix 1"

  private let bytes: [UInt8]

  /// Creates a key from a public key of X25519: 32 bytes in base64url (RFC 4648 §5). Returns nil for other texts.
  package init?(_ text: String) {
    guard let bytes = Base64URL.bytes(of: text), bytes.count == 32 else { return nil }
    self.bytes = bytes
    // Weak public keys are refused, because the shared secret with such a key is always zero. (RFC 7748 §6.1, RFC 9180
    // §7.1.4)
    guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes),
      let agreed = try? Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: key),
      unsafe agreed.withUnsafeBytes({ unsafe $0.contains { $0 != 0 } })
    else { return nil }
  }

  /// The length of the encrypted text is a multiple of this number of bytes. Otherwise the operator of the broker could
  /// tell names of places apart by their length.
  static let lengthClass = 256

  /// Encrypts a JSON text. Returns `{"id":…,"sealed":…}`, where `sealed` is the encapsulated key (32 bytes) and the
  /// ciphertext, in base64url. The encryption also authenticates the id. Spaces at the end of the text, which readers of
  /// JSON ignore (RFC 8259 §2), fill the class of its length.
  func seal(_ json: String, id: String) throws -> String {
    let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    var sender = try HPKE.Sender(recipientKey: key, ciphersuite: Self.suite, info: Data(Self.info.utf8))
    let bytes = Array(json.utf8)
    let padding = (Self.lengthClass - bytes.count % Self.lengthClass) % Self.lengthClass
    let text = Data(bytes + [UInt8](repeating: UInt8(ascii: " "), count: padding))
    let sealed = try sender.seal(text, authenticating: Data(id.utf8))
    return JSONObject.text(["id": id, "sealed": Base64URL.text(of: Array(sender.encapsulatedKey + sealed))])
  }
}
