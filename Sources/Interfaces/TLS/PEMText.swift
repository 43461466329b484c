internal import COpenSSL

/// Certificates or a private key in PEM form (RFC 7468).
package enum PEMText: Hashable, Sendable {
  /// The path of a file.
  case file(String)
  /// The text itself.
  case text(String)

  /// Returns all certificates in their order; an empty array if there is none, or if one of them cannot be read.
  package var certificates: [TLSCertificate] {
    unsafe withReader { reader in
      var certificates: [TLSCertificate] = []
      while let pointer = unsafe PEM_read_bio_X509(reader, nil, noPassword, nil) {
        unsafe certificates.append(TLSCertificate(pointer))
      }
      // The reader ends with this error after the last certificate.
      return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? certificates : []
    } ?? []
  }

  /// Returns the result of `body` with a private key, which must not be encrypted; nil without such a key.
  func withPrivateKey<Value>(_ body: (OpaquePointer) -> Value) -> Value? {
    let key = unsafe withReader { reader in unsafe PEM_read_bio_PrivateKey(reader, nil, noPassword, nil) }
    guard let key = unsafe key.flatMap({ unsafe $0 }) else { return nil }
    defer { unsafe EVP_PKEY_free(key) }
    return unsafe body(key)
  }

  private func withReader<Value>(_ body: (OpaquePointer) -> Value) -> Value? {
    ERR_clear_error()
    defer { ERR_clear_error() }
    switch self {
    case .file(let path):
      guard let reader = unsafe BIO_new_file(path, "r") else { return nil }
      defer { unsafe BIO_free(reader) }
      return unsafe body(reader)
    case .text(var text):
      return text.withUTF8 { bytes in
        guard let reader = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        defer { unsafe BIO_free(reader) }
        return unsafe body(reader)
      }
    }
  }
}

/// Answers the question for the password of an encrypted text: there is none. Without this function, OpenSSL asks the
/// terminal.
private func noPassword(_: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?) -> Int32 {
  -1
}
