internal import COpenSSL

/// An X.509 certificate (RFC 5280).
@safe package final class TLSCertificate: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes the ownership of the reference that `pointer` has.
  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe X509_free(pointer) }

  /// Returns whether the last second in which the certificate is valid is over.
  ///
  /// - Parameter time: The seconds since 1970-01-01T00:00:00Z.
  package func hasExpired(at time: Int) -> Bool { unsafe ASN1_TIME_cmp_time_t(X509_get0_notAfter(pointer), time) == -1 }

  /// The encoding of the certificate in DER (ITU-T X.690).
  package var der: [UInt8] {
    let count = Int(unsafe i2d_X509(pointer, nil))
    return unsafe Array(unsafeUninitializedCapacity: max(0, count)) { bytes, used in
      var next = bytes.baseAddress
      used = max(0, Int(unsafe i2d_X509(pointer, &next)))
    }
  }
}
