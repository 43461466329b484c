package import Authorization
package import Crypto
import Handshake
import Synchronization

/// The secret that an app shares with the gateway, with which it authenticates.
package struct AppKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Length, bytes.
  package static let byteCount = 32

  package let secret: SymmetricKey

  /// Makes a key with the system's random source.
  package init() { secret = SymmetricKey(size: .bits256) }

  /// Returns nil unless there are 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == AppKey.byteCount else { return nil }
    secret = SymmetricKey(data: bytes)
  }

  package var bytes: [UInt8] { unsafe secret.withUnsafeBytes { unsafe Array($0) } }

  /// 43 letters, digits, `-` and `_`: base64url without padding. (RFC 4648 §5)
  package var text: String { Base64URL.text(of: bytes) }

  package var description: String { "AppKey(not shown)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The SHA-256 of a token, with which an app authenticates over TLS. A token has 256 random bits, so no slower hash is
/// needed.
package struct TokenHash: Sendable {
  private let digest: [UInt8]

  /// - Parameter token: 32 random bytes; the client sends them in the text form of a key.
  package init(of token: AppKey) { digest = Array(SHA256.hash(data: Array(token.text.utf8))) }

  /// Returns nil unless there are 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    digest = bytes
  }

  package var bytes: [UInt8] { digest }

  /// Whether this is the hash of a token, in a time that does not depend on the token.
  package func isHash(of token: String) -> Bool { SHA256.hash(data: Array(token.utf8)) == digest }
}

/// The keys and tokens with which apps authenticate. The gateway sets them, and connections look them up.
package final class Keyring: Sendable {
  private struct State {
    var keys: [AppID: (number: UInt64, key: AppKey)] = [:]
    var tokens: [AppID: (number: UInt64, hash: TokenHash)] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Replaces the key of an app; nil removes it.
  package func set(_ key: AppKey?, of app: AppID) {
    state.withLock { state in
      state.last += 1
      state.keys[app] = key.map { (state.last, $0) }
    }
  }

  /// Replaces the token of an app; nil removes it.
  package func set(_ token: TokenHash?, of app: AppID) {
    state.withLock { state in
      state.last += 1
      state.tokens[app] = token.map { (state.last, $0) }
    }
  }

  /// Whether the key or token with which a connection authenticated is still valid.
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
