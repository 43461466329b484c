package import Base
package import LineProtocol
import Synchronization

/// A secret key that an app shares with the gateway, for the authentication of the app.
package struct AppKey: Sendable, CustomStringConvertible, CustomReflectable {
  package static let byteCount = 32

  package let secret: SecretKey

  package init() { secret = SecretKey() }

  /// Creates a key from 32 bytes; nil for any other count of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == AppKey.byteCount else { return nil }
    secret = SecretKey(bytes)
  }

  package var bytes: [UInt8] { secret.bytes }

  /// The key as 43 characters in base64url without padding. (RFC 4648 §5)
  package var text: String { Base64URL.text(of: bytes) }

  package var description: String { "AppKey(not shown)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The SHA-256 of an app's token. A slow hash function is not necessary, because a token has 256 random bits.
package struct TokenHash: Sendable {
  private let digest: [UInt8]

  /// Computes the hash of a token.
  ///
  /// - Parameter token: The 32 random bytes of the token. The hash covers the text `AppKey.text`, which the client
  ///   sends.
  package init(of token: AppKey) { digest = SHA256.hash(Array(token.text.utf8)) }

  /// Creates a hash from its 32 bytes; nil for any other count of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    digest = bytes
  }

  package var bytes: [UInt8] { digest }

  /// Whether this value is the hash of a token. The comparison takes constant time.
  package func isHash(of token: String) -> Bool { isEqualInConstantTime(SHA256.hash(Array(token.utf8)), digest) }
}

/// The keys and tokens with which apps authenticate.
package final class Keyring: Sendable {
  private struct State {
    var keys: [AppID: (number: UInt64, key: AppKey)] = [:]
    var tokens: [AppID: (number: UInt64, hash: TokenHash)] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Sets the key of an app; nil removes the key.
  package func set(_ key: AppKey?, of app: AppID) {
    state.withLock { state in
      state.last += 1
      state.keys[app] = key.map { (state.last, $0) }
    }
  }

  /// Sets the token of an app; nil removes the token.
  package func set(_ token: TokenHash?, of app: AppID) {
    state.withLock { state in
      state.last += 1
      state.tokens[app] = token.map { (state.last, $0) }
    }
  }

  /// The apps that have a key or a token.
  package var apps: Set<AppID> { state.withLock { Set($0.keys.keys).union($0.tokens.keys) } }

  /// Whether the key or token with which a client authenticated is still valid. The result is true for a client that
  /// authenticated by another method.
  package func holds(_ identity: Identity) -> Bool {
    switch identity.proof {
    case .transport, .certificate: true
    case .key(let number): key(of: identity.app)?.number == number
    case .token(let number): token(of: identity.app)?.number == number
    }
  }

  package func key(of app: AppID) -> (number: UInt64, key: AppKey)? { state.withLock { $0.keys[app] } }

  package func token(of app: AppID) -> (number: UInt64, hash: TokenHash)? { state.withLock { $0.tokens[app] } }
}
