internal import COpenSSL

/// The algorithms of OpenSSL in a library context of their own, so that no `openssl.cnf` of the machine changes the
/// algorithms.
///
/// The functions of OpenSSL that `check` guards fail only if the memory is exhausted. Then `check` stops the program,
/// as Swift does when its own allocations fail.
enum Library {
  nonisolated(unsafe) static let context: OpaquePointer? = unsafe OSSL_LIB_CTX_new()
  nonisolated(unsafe) static let sha256: OpaquePointer? = unsafe EVP_MD_fetch(context, "SHA256", nil)
  nonisolated(unsafe) static let hmac: OpaquePointer? = unsafe EVP_MAC_fetch(context, "HMAC", nil)
  nonisolated(unsafe) static let chaChaPoly: OpaquePointer? = unsafe EVP_CIPHER_fetch(
    context, "ChaCha20-Poly1305", nil)

  static func check(_ isDone: Bool, _ operation: StaticString) {
    precondition(isDone, "cannot \(operation): OpenSSL has no memory")
  }
}
