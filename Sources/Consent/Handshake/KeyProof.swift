package import Crypto
import Encoding

/// What both sides of a connection make of a key, to show that they have it without telling it.
///
/// It is HMAC-SHA-256 (RFC 2104) under the 32 bytes of the key, over the UTF-8 text
///
///     onefix-v1 LF role LF gateway LF app LF server nonce LF client nonce LF binding
///
/// with one LF (0x0A) between its parts and none at its end. The role is `server` in the gateway's proof and `client` in
/// the app's; gateway is what INFO gives as `id`, app and client nonce are what HELLO gives, server nonce is INFO's
/// `nonce`: each exactly as it stands on the wire, the case of hexadecimal digits included. The binding is empty over TCP;
/// under TLS it is the SHA-256 of the server's leaf certificate (DER), as 64 lower-case hexadecimal digits, so that a
/// proof does not pass through somebody in the middle who has another certificate.
package struct KeyProof: Hashable, Sendable {
  package enum Role: String, Hashable, Sendable, CaseIterable {
    case server
    case client
  }

  package var gateway: String
  package var app: String
  package var serverNonce: String
  package var clientNonce: String
  package var binding: String

  package init(gateway: String, app: String, serverNonce: String, clientNonce: String, binding: String = "") {
    self.gateway = gateway
    self.app = app
    self.serverNonce = serverNonce
    self.clientNonce = clientNonce
    self.binding = binding
  }

  /// 64 lower-case hexadecimal digits.
  package func digits(_ role: Role, with key: SymmetricKey) -> String {
    HMAC<SHA256>.authenticationCode(for: text(of: role), using: key).hexadecimal
  }

  /// Whether the other side has the key. Takes as long for a wrong proof as for the right one.
  package func isRight(_ digits: String, of role: Role, with key: SymmetricKey) -> Bool {
    guard let code = [UInt8](hexadecimal: digits) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text(of: role), using: key)
  }

  /// What a proof is bound to under TLS.
  /// - Parameter certificate: the server's own, as DER.
  package static func binding(certificate: [UInt8]) -> String { SHA256.hash(data: certificate).hexadecimal }

  private func text(of role: Role) -> [UInt8] {
    Array(["onefix-v1", role.rawValue, gateway, app, serverNonce, clientNonce, binding].joined(separator: "\n").utf8)
  }
}
