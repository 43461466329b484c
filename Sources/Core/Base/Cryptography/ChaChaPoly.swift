internal import COpenSSL

/// Authenticated encryption with ChaCha20-Poly1305 (RFC 8439).
package enum ChaChaPoly {
  static let nonceCount = 12
  static let tagCount = 16

  /// Encrypts bytes with a random nonce.
  /// - Parameters:
  ///   - text: The bytes to encrypt.
  ///   - context: Additional bytes that are authenticated, but are not in the result.
  /// - Returns: The nonce (12 bytes), the encrypted bytes and the authentication tag (16 bytes).
  package static func seal(_ text: [UInt8], with key: SecretKey, context: [UInt8]) -> [UInt8] {
    let nonce = randomBytes(nonceCount)
    return nonce + seal(text, with: key, nonce: nonce, context: context)
  }

  /// Decrypts the result of `seal(_:with:context:)`. Returns nil if the key or the context is wrong, or if a byte of
  /// `sealed` was changed.
  package static func open(_ sealed: [UInt8], with key: SecretKey, context: [UInt8]) -> [UInt8]? {
    open(Array(sealed.dropFirst(nonceCount)), with: key, nonce: Array(sealed.prefix(nonceCount)), context: context)
  }

  /// Encrypts bytes with the given nonce. Returns the encrypted bytes and the authentication tag (16 bytes).
  static func seal(_ text: [UInt8], with key: SecretKey, nonce: [UInt8], context: [UInt8]) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: text.count + tagCount)
    var count: Int32 = 0
    let isDone = unsafe withCipher(key, nonce, isEncryption: true) { cipher in
      unsafe EVP_EncryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
        && EVP_EncryptUpdate(cipher, &sealed, &count, text, Int32(text.count)) == 1
        && sealed.withUnsafeMutableBytes { bytes in
          let end = unsafe bytes.baseAddress! + text.count
          return unsafe EVP_EncryptFinal_ex(cipher, nil, &count) == 1
            && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), end) == 1
        }
    }
    Library.check(isDone, "encrypt")
    return sealed
  }

  /// Decrypts bytes that end with their authentication tag. Returns nil if the key, the nonce or the context is wrong,
  /// or if a byte was changed.
  package static func open(_ sealed: [UInt8], with key: SecretKey, nonce: [UInt8], context: [UInt8]) -> [UInt8]? {
    guard key.bytes.count == 32, nonce.count == nonceCount, sealed.count >= tagCount else { return nil }
    let hidden = Array(sealed.dropLast(tagCount))
    var tag = Array(sealed.suffix(tagCount))
    var text = [UInt8](repeating: 0, count: hidden.count)
    var count: Int32 = 0
    let isDone = unsafe withCipher(key, nonce, isEncryption: false) { cipher in
      unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
        && EVP_DecryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
        && EVP_DecryptUpdate(cipher, &text, &count, hidden, Int32(hidden.count)) == 1
        && EVP_DecryptFinal_ex(cipher, nil, &count) == 1
    }
    return isDone ? text : nil
  }

  private static func withCipher(
    _ key: SecretKey, _ nonce: [UInt8], isEncryption: Bool, _ body: (OpaquePointer?) -> Bool
  ) -> Bool {
    // The library reads 32 and 12 bytes.
    precondition(key.bytes.count == 32 && nonce.count == nonceCount)
    let cipher = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(cipher) }
    return unsafe EVP_CipherInit_ex2(cipher, Library.chaChaPoly, key.bytes, nonce, isEncryption ? 1 : 0, nil) == 1
      && body(cipher)
  }
}
