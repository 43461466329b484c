internal import COpenSSL

/// The reason why a TLS connection failed.
package enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes of the peer are not TLS.
  case notTLS
  /// The connection ended without the message `close_notify` (RFC 8446 §6.1), for example during the handshake.
  case ended
  /// The certificate of the peer, or of one of its authorities, is not valid any more.
  case expired
  /// The certificate of the peer, or of one of its authorities, is not valid yet.
  case notYetValid
  /// The certificate of the server is not for the name or the address of the host.
  case wrongName
  /// No trusted authority has signed the certificate of the peer, or the certificate is invalid for another reason. The
  /// text is OpenSSL's.
  case untrusted(String)
  /// The peer requires a certificate.
  case certificateRequired
  /// Any other reason, in OpenSSL's words.
  case other(String)

  package var description: String {
    switch self {
    case .notTLS: "the peer does not use TLS"
    case .ended: "the peer ended the connection"
    case .expired: "the certificate has expired"
    case .notYetValid: "the certificate is not valid yet"
    case .wrongName: "the certificate is for another host"
    case .untrusted(let text): "the certificate is not trusted: \(text)"
    case .certificateRequired: "the peer requires a certificate"
    case .other(let text): text
    }
  }

  /// The error of the last operation on a connection.
  init(of connection: OpaquePointer) {
    let code = ERR_peek_error()
    switch ERR_GET_REASON(code) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED: self.init(verification: unsafe SSL_get_verify_result(connection))
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: self = .notTLS
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: self = .certificateRequired
    default: self = .other(Self.reason())
    }
    ERR_clear_error()
  }

  private init(verification result: Int) {
    switch Int32(truncatingIfNeeded: result) {
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .wrongName
    default: self = .untrusted(unsafe String(cString: X509_verify_cert_error_string(result)))
    }
  }

  /// Returns OpenSSL's words for the oldest error of this thread, for example `unsupported protocol`.
  static func reason() -> String {
    unsafe ERR_reason_error_string(ERR_peek_error()).map { unsafe String(cString: $0) } ?? "unknown error"
  }
}
