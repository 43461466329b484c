package import Authorization
import Crypto
import Handshake
import Synchronization

/// The secret that an app shares with the gateway, and proves itself by.
package struct AppKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// Length, bytes.
  package static let byteCount = 32

  let secret: SymmetricKey

  /// From the system's random source.
  package init() { secret = SymmetricKey(size: .bits256) }

  /// Nil unless there are 32 bytes.
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

/// What the gateway keeps of a token, by which an app proves itself over TLS: its SHA-256. A token has 256 random bits, so
/// that nothing slower is needed.
package struct TokenHash: Sendable {
  private let digest: [UInt8]

  /// - Parameter token: 32 random bytes; a client says them as a key is shown.
  package init(of token: AppKey) { digest = Array(SHA256.hash(data: Array(token.text.utf8))) }

  /// Nil unless there are 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == SHA256.byteCount else { return nil }
    digest = bytes
  }

  package var bytes: [UInt8] { digest }

  /// Takes as long for a wrong token as for the right one.
  func isHash(of token: String) -> Bool { SHA256.hash(data: Array(token.utf8)) == digest }
}

/// By what apps may prove themselves now. The gateway fills it, and conversations look into it.
package final class Keyring: Sendable {
  private struct State {
    var keys: [AppID: (number: UInt64, key: AppKey)] = [:]
    var tokens: [AppID: (number: UInt64, hash: TokenHash)] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Takes an app's key, in place of the one it had; nil takes that away.
  package func set(_ key: AppKey?, of app: AppID) {
    state.withLock { state in
      state.last += 1
      state.keys[app] = key.map { (state.last, $0) }
    }
  }

  /// Takes an app's token, in place of the one it had; nil takes that away.
  package func set(_ token: TokenHash?, of app: AppID) {
    state.withLock { state in
      state.last += 1
      state.tokens[app] = token.map { (state.last, $0) }
    }
  }

  /// Whether what somebody proved to be an app by still proves it.
  package func holds(_ identity: Identity) -> Bool {
    switch identity.proof {
    case .transport, .certificate: true
    case .key(let number): key(of: identity.app)?.number == number
    case .token(let number): token(of: identity.app)?.number == number
    }
  }

  func key(of app: AppID) -> (number: UInt64, key: AppKey)? { state.withLock { $0.keys[app] } }

  func token(of app: AppID) -> (number: UInt64, hash: TokenHash)? { state.withLock { $0.tokens[app] } }
}
