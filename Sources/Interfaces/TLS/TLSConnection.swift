internal import COpenSSL
internal import NIOCore

/// The TLS protocol of one connection, without input and output.
@safe final class TLSConnection {
  enum Result {
    case done
    /// OpenSSL needs more bytes of the peer.
    case needsInput
    /// The peer has ended its side of the connection with `close_notify`.
    case ended
    case failed(TLSError)
  }

  private let pointer: OpaquePointer
  /// The received bytes that OpenSSL has not read yet, and the bytes for the peer.
  private let (input, output): (OpaquePointer, OpaquePointer)

  /// The server's side of a connection.
  init(server context: TLSContext) {
    unsafe (pointer, input, output) = Self.make(context)
    unsafe SSL_set_accept_state(pointer)
  }

  /// The client's side of a connection.
  /// - Parameter host: The name or the address that the certificate of the server must have.
  init(client context: TLSContext, host given: String) throws(TLSError) {
    unsafe (pointer, input, output) = Self.make(context)
    unsafe SSL_set_connect_state(pointer)
    let rules = unsafe SSL_get0_param(pointer)
    // The dot that ends a complete name is no part of the name in a certificate. (RFC 6066 §3)
    let host = given.hasSuffix(".") ? String(given.dropLast()) : given
    if unsafe X509_VERIFY_PARAM_set1_ip_asc(rules, host) == 1 { return }
    unsafe X509_VERIFY_PARAM_set_hostflags(rules, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    // With an empty name, OpenSSL would not verify the name, and with a dot before the name, it would accept each name below.
    guard !host.isEmpty, !host.hasPrefix("."), unsafe X509_VERIFY_PARAM_set1_host(rules, host, host.utf8.count) == 1
    else { throw .wrongName }
    var name = Array(host.utf8CString)
    unsafe SSL_ctrl(pointer, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
  }

  deinit { unsafe SSL_free(pointer) }

  private static func make(_ context: TLSContext) -> (OpaquePointer, OpaquePointer, OpaquePointer) {
    guard let pointer = unsafe SSL_new(context.pointer), let input = unsafe BIO_new(BIO_s_mem()),
      let output = unsafe BIO_new(BIO_s_mem())
    else { preconditionFailure("cannot begin a connection: OpenSSL has no memory") }
    // The connection owns both.
    unsafe SSL_set_bio(pointer, input, output)
    return unsafe (pointer, input, output)
  }

  /// The certificate that the peer sent; nil if it sent none.
  var peerCertificate: TLSCertificate? {
    unsafe SSL_get1_peer_certificate(pointer).map { unsafe TLSCertificate($0) }
  }

  // MARK: The peer's bytes

  func receive(_ bytes: ByteBuffer) {
    unsafe bytes.withUnsafeReadableBytes { bytes in
      var count = 0
      let isStored = unsafe BIO_write_ex(input, bytes.baseAddress, bytes.count, &count) == 1 || bytes.isEmpty
      precondition(isStored, "cannot read a connection: OpenSSL has no memory")
    }
  }

  /// The count of bytes for the peer.
  var waitingBytes: Int { unsafe BIO_ctrl_pending(output) }

  /// Returns the bytes for the peer, and removes them.
  func send(_ allocator: ByteBufferAllocator) -> ByteBuffer {
    let waiting = waitingBytes
    var bytes = allocator.buffer(capacity: waiting)
    guard waiting > 0 else { return bytes }
    unsafe bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: waiting) { room in
      var count = 0
      return unsafe BIO_read_ex(output, room.baseAddress, waiting, &count) == 1 ? count : 0
    }
    return bytes
  }

  // MARK: The protocol

  func shakeHands() -> Result { unsafe result { unsafe SSL_do_handshake($0) } }

  /// Decrypts at most one record, and appends its bytes.
  func read(_ bytes: inout ByteBuffer) -> Result {
    // Plain text is never longer than its record.
    let room = max(256, min(unsafe BIO_ctrl_pending(input) + Int(unsafe SSL_pending(pointer)), 16_384))
    var result = Result.needsInput
    unsafe bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { room in
      var count = 0
      result = unsafe self.result { unsafe SSL_read_ex($0, room.baseAddress, room.count, &count) }
      return count
    }
    return result
  }

  func write(_ bytes: ByteBuffer) -> Result {
    guard bytes.readableBytes > 0 else { return .done }
    return unsafe bytes.withUnsafeReadableBytes { bytes in
      var count = 0
      return unsafe result { unsafe SSL_write_ex($0, bytes.baseAddress, bytes.count, &count) }
    }
  }

  /// Ends this side of the connection with `close_notify`.
  func shutDown() {
    unsafe SSL_shutdown(pointer)
    ERR_clear_error()
  }

  private func result(_ operation: (OpaquePointer) -> Int32) -> Result {
    // An old error of this thread would count as an error of this operation.
    ERR_clear_error()
    let code = unsafe operation(pointer)
    if code == 1 { return .done }
    return switch unsafe SSL_get_error(pointer, code) {
    case SSL_ERROR_WANT_READ: .needsInput
    case SSL_ERROR_ZERO_RETURN: .ended
    default: .failed(unsafe TLSError(of: pointer))
    }
  }
}
