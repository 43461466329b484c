package import Authorization
import Crypto
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
  package var text: String { base64URL(bytes) }

  package var description: String { "AppKey(not shown)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// By what apps may prove themselves now. The gateway fills it, and conversations look into it.
package final class Keyring: Sendable {
  private struct Numbered {
    var number: UInt64
    var key: AppKey
  }

  private struct State {
    var keys: [AppID: Numbered] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Takes an app's key, in place of the one it had; nil takes that away.
  package func set(_ key: AppKey?, of app: AppID) {
    state.withLock { state in
      state.last += 1
      state.keys[app] = key.map { Numbered(number: state.last, key: $0) }
    }
  }

  /// Whether what somebody proved to be an app by still proves it.
  package func holds(_ identity: Identity) -> Bool {
    switch identity.proof {
    case .transport: true
    case .key(let number): state.withLock { $0.keys[identity.app]?.number } == number
    }
  }

  func key(of app: AppID) -> (number: UInt64, key: AppKey)? {
    state.withLock { $0.keys[app] }.map { ($0.number, $0.key) }
  }
}

private func base64URL(_ bytes: [UInt8]) -> String {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let part = bytes[start..<min(start + 3, bytes.count)]
    let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
    for digit in 0...part.count { text.append(digits[bits >> (18 - 6 * digit) & 0x3F]) }
  }
  return String(decoding: text, as: UTF8.self)
}
