internal import COpenSSL

/// The settings of all TLS connections with the same certificates: TLS 1.2 or later, without renegotiation and without
/// resumption of earlier sessions. So each handshake verifies the certificates.
///
/// The configuration of OpenSSL on this machine (`openssl.cnf`) sets the permitted algorithms.
@safe package final class TLSContext: @unchecked Sendable {
  /// The file or the text that OpenSSL cannot use.
  package enum Fault: Error, Hashable, Sendable {
    /// There is no certificate in PEM form.
    case certificate
    /// There is no unencrypted private key in PEM form.
    case privateKey
    /// There is no certificate of an authority in PEM form.
    case authorities
    /// The private key does not belong to the certificate.
    case otherKey
    /// OpenSSL refuses the certificate with this reason, for example `ee key too small`.
    case refused(String)
    /// OpenSSL permits no connection with its configuration on this machine, with this reason.
    case library(String)
  }

  /// A certificate, the intermediate certificates after it, and the private key.
  package struct Identity: Hashable, Sendable {
    package let certificates: PEMText
    package let privateKey: PEMText

    package init(certificates: PEMText, privateKey: PEMText) {
      self.certificates = certificates
      self.privateKey = privateKey
    }
  }

  let pointer: OpaquePointer
  /// The own certificate, which peers see; nil for a client without one.
  package private(set) var certificate: TLSCertificate?

  /// The context of a server.
  ///
  /// - Parameter clientAuthorities: The authorities that sign certificates of clients; nil if the server asks for none. A
  ///   client may have no certificate. The handshake fails if it sends one that no authority has signed.
  package init(server identity: Identity, clientAuthorities: PEMText? = nil) throws(Fault) {
    unsafe pointer = try Self.make(TLS_server_method())
    try use(identity)
    guard let clientAuthorities else { return }
    for authority in try trust(clientAuthorities) {
      unsafe SSL_CTX_add_client_CA(pointer, authority.pointer)
    }
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
  }

  /// The context of a client, which verifies the certificate of the server.
  ///
  /// - Parameters:
  ///   - authorities: The trusted authorities; nil for those of this machine. Also a certificate that is not an
  ///     authority's is trusted if it is among them.
  ///   - identity: The certificate of the client; nil if it has none.
  package init(client authorities: PEMText?, identity: Identity? = nil) throws(Fault) {
    unsafe pointer = try Self.make(TLS_client_method())
    if let identity { try use(identity) }
    if let authorities {
      _ = try trust(authorities)
    } else {
      unsafe SSL_CTX_set_default_verify_paths(pointer)
    }
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  private static func make(_ method: OpaquePointer?) throws(Fault) -> OpaquePointer {
    ERR_clear_error()
    guard let context = unsafe SSL_CTX_new(method) else { throw .library(TLSError.reason()) }
    // A stricter configuration of the machine stays.
    if unsafe SSL_CTX_ctrl(context, SSL_CTRL_GET_MIN_PROTO_VERSION, 0, nil) < TLS1_2_VERSION {
      unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    }
    unsafe SSL_CTX_set_options(context, ONEFIX_SSL_OPTIONS)
    unsafe SSL_CTX_set_num_tickets(context, 0)
    unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    // An idle connection has no buffers, and a server sends only the certificates of its file.
    unsafe SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN), nil)
    return unsafe context
  }

  private func use(_ identity: Identity) throws(Fault) {
    let chain = identity.certificates.certificates
    guard let own = chain.first else { throw .certificate }
    ERR_clear_error()
    guard unsafe SSL_CTX_use_certificate(pointer, own.pointer) == 1 else { throw .refused(TLSError.reason()) }
    for certificate in chain.dropFirst() {
      let isUsed =
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate.pointer)) == 1
      guard isUsed else { throw .refused(TLSError.reason()) }
    }
    let isSame = unsafe identity.privateKey.withPrivateKey { key in
      // The first function accepts each key whose algorithm is not that of the certificate.
      unsafe SSL_CTX_use_PrivateKey(pointer, key) == 1 && SSL_CTX_check_private_key(pointer) == 1
    }
    guard let isSame else { throw .privateKey }
    guard isSame else { throw .otherKey }
    certificate = own
  }

  private func trust(_ authorities: PEMText) throws(Fault) -> [TLSCertificate] {
    let certificates = authorities.certificates
    guard !certificates.isEmpty, let store = unsafe SSL_CTX_get_cert_store(pointer) else { throw .authorities }
    for certificate in certificates { unsafe X509_STORE_add_cert(store, certificate.pointer) }
    // A certificate of the file is trusted as it is, also if another authority has signed it.
    unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    return certificates
  }
}
