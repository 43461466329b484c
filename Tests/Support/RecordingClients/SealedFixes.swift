import Base

/// The app's side of encrypted fixes: a key pair of X25519.
package struct AppKeyPair: Sendable {
  private let key = SecretKey()

  package init() {}

  /// The public key in base64url, for the configuration of the gateway.
  package var text: String { Base64URL.text(of: X25519.PublicKey(of: key).bytes) }

  /// Opens the value `sealed` of a fix. Returns nil if the key or the id is wrong.
  package func open(_ sealed: String, id: String) -> String? {
    guard let bytes = Base64URL.bytes(of: sealed), let sender = X25519.PublicKey(Array(bytes.prefix(32)))
    else { return nil }
    let (secret, nonce) = HPKE.schedule(
      X25519.sharedSecret(of: key, with: sender), sender.bytes + X25519.PublicKey(of: key).bytes,
      Array("onefix fix 1".utf8))
    let text = ChaChaPoly.open(Array(bytes.dropFirst(32)), with: secret, nonce: nonce, context: Array(id.utf8))
    return text.map { String(decoding: $0, as: UTF8.self) }
  }
}
