internal import COpenSSL

/// The bytes of a secret key. The memory is overwritten with zeros when the last copy of the key is deinitialized.
package struct SecretKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  @safe private final class Storage: Sendable {
    nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ bytes: [UInt8]) {
      unsafe self.bytes = .allocate(capacity: bytes.count)
      _ = unsafe self.bytes.initialize(fromContentsOf: bytes)
    }

    deinit {
      unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
      unsafe bytes.deallocate()
    }
  }

  private let storage: Storage

  package init(_ bytes: [UInt8]) { storage = Storage(bytes) }

  /// Creates a random key of 256 bits.
  package init() { self.init(randomBytes(32)) }

  package var bytes: [UInt8] { unsafe Array(storage.bytes) }

  /// Returns whether two keys are equal. The comparison takes the same time for equal and different keys of the same
  /// length.
  package static func == (left: SecretKey, right: SecretKey) -> Bool {
    isEqualInConstantTime(left.bytes, right.bytes)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  package var description: String { "SecretKey(not shown)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// Returns `count` random bytes from the secure random generator of the operating system.
package func randomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}

/// Returns whether two arrays are equal. The duration depends only on the length of the arrays, so that an attacker
/// cannot learn their contents from the duration.
package func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  unsafe left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
