package import Base

/// The proof that the gateway or the app has the shared key. The proof does not disclose the key.
///
/// The proof is HMAC-SHA-256 (RFC 2104) with the 32 bytes of the key over the UTF-8 text
///
///     onefix-v1 LF role LF gateway LF app LF server nonce LF client nonce LF binding
///
/// with one LF (0x0A) between the fields and no LF at the end. The role is `server` in the gateway's proof and `client`
/// in the app's proof. The fields *gateway* and *server nonce* are the `id` and the `nonce` of the gateway's protocol
/// line INFO. The fields *app* and *client nonce* are the `app` and the `nonce` of the app's protocol line HELLO. Each
/// field has exactly the bytes of the protocol line, so the case of hexadecimal digits matters.
///
/// The field *binding* is empty over TCP. Over TLS, this field is the SHA-256 of the server's leaf certificate (DER) as
/// 64 lower-case hexadecimal digits, so that an interceptor with another certificate cannot forward a proof.
package struct KeyProof: Hashable, Sendable {
  /// The side of the connection that proves its key: the gateway or the app.
  package enum Role: String, Hashable, Sendable {
    case server
    case client
  }

  /// The id of the gateway, from the value `id` of its protocol line INFO.
  package var gateway: String
  /// The id of the app, from the value `app` of its protocol line HELLO.
  package var app: String
  /// The nonce of the gateway for this connection, from the value `nonce` of its protocol line INFO.
  package var serverNonce: String
  /// The nonce of the app for this connection, from the value `nonce` of its protocol line HELLO.
  package var clientNonce: String
  /// The SHA-256 of the server's TLS certificate in hexadecimal digits; empty over TCP.
  package var binding: String

  package init(gateway: String, app: String, serverNonce: String, clientNonce: String, binding: String = "") {
    self.gateway = gateway
    self.app = app
    self.serverNonce = serverNonce
    self.clientNonce = clientNonce
    self.binding = binding
  }

  /// Returns the proof of the gateway or of the app, as 64 lower-case hexadecimal digits.
  package func digits(_ role: Role, with key: SecretKey) -> String {
    Authenticator(key).code(of: text(of: role)).hexadecimal
  }

  /// Whether `digits` is the correct proof of the gateway or of the app with this key. The comparison takes the same
  /// time for wrong and correct proofs.
  package func isRight(_ digits: String, of role: Role, with key: SecretKey) -> Bool {
    guard let code = [UInt8](hexadecimal: digits) else { return false }
    return Authenticator(key).isCode(code, of: text(of: role))
  }

  /// Returns the SHA-256 of the server's leaf certificate (DER) in hexadecimal digits. This value binds a proof to one
  /// TLS server.
  package static func binding(certificate: [UInt8]) -> String { SHA256.hash(certificate).hexadecimal }

  private func text(of role: Role) -> [UInt8] {
    Array(["onefix-v1", role.rawValue, gateway, app, serverNonce, clientNonce, binding].joined(separator: "\n").utf8)
  }
}
