import Authorization
import LineProtocol
import Ports
import Logging
import StateStore

/// The keys and tokens by which apps prove themselves where the transport does not tell who they are.
extension Gateway {
  /// Makes a key or a token for an app, in place of the one it had. It is on the disk when this returns: a key sealed, of a
  /// token its hash.
  func addKey(_ name: String, isToken: Bool) throws -> (app: AppID, secret: AppKey) {
    let app = try keyedApp(name)
    let secret = AppKey()
    let hash = TokenHash(of: secret)
    do {
      let name = isToken ? TokenHash.name(of: app) : AppKey.name(of: app)
      try timed(.sealed) { try store.seal(isToken ? hash.bytes : secret.bytes, as: name) }
    } catch {
      loggers.gateway.error("a key was not made", metadata: ["app": "\(app)", "cause": "\(error)"])
      throw LineError(.store, "it cannot be kept; the gateway's log says why")
    }
    if isToken { keyring.set(hash, of: app) } else { keyring.set(secret, of: app) }
    loggers.gateway.notice("\(isToken ? "a token" : "a key") was made", metadata: ["app": "\(app)"])
    endUnproven(app)
    return (app, secret)
  }

  /// Takes an app's key and token away. Who proved to be the app by them is nobody any more.
  func revokeKey(_ name: String) throws -> AppID {
    let app = try keyedApp(name)
    guard forgetKey(of: app) else {
      throw LineError(.store, "the key is revoked until the next start only; the gateway's log says why")
    }
    return app
  }

  /// - Returns: whether it is gone for good.
  @discardableResult
  func forgetKey(of app: AppID) -> Bool {
    keyring.set(nil as AppKey?, of: app)
    keyring.set(nil as TokenHash?, of: app)
    endUnproven(app)
    do {
      try timed(.sealed) { try store.erase(AppKey.name(of: app)) }
      try timed(.sealed) { try store.erase(TokenHash.name(of: app)) }
    } catch {
      loggers.gateway.error(
        "a key is revoked until the next start only", metadata: ["app": "\(app)", "cause": "\(error)"])
      return false
    }
    loggers.gateway.notice("a key was revoked", metadata: ["app": "\(app)"])
    return true
  }

  private func keyedApp(_ name: String) throws(LineError) -> AppID {
    let app = try knownApp(name)
    guard policy.keyedApps.contains(app) else {
      throw LineError(.badArgument, "\(app) has no key = true in onefix.toml")
    }
    return app
  }

  /// Ends the sessions of an app whose proof holds no more.
  private func endUnproven(_ app: AppID) {
    for session in sessions.of(app) where !keyring.holds(Identity(app, by: session.proof)) {
      expel(session, Self.revoked)
    }
  }

  static var revoked: LineError { LineError(.authFailed, "the key was revoked") }
}

extension Keyring {
  /// Takes the keys that were kept. One that cannot be read proves nothing.
  func fill(from store: StateStore, for apps: Set<AppID>, _ logger: Logger) {
    for app in apps {
      do {
        if let bytes = try store.unseal(AppKey.name(of: app)) {
          guard let key = AppKey(bytes: bytes) else { throw KeyUnreadable() }
          set(key, of: app)
        }
        if let bytes = try store.unseal(TokenHash.name(of: app)) {
          guard let hash = TokenHash(bytes: bytes) else { throw KeyUnreadable() }
          set(hash, of: app)
        }
      } catch {
        logger.error(
          "an app's key cannot be read and proves nothing",
          metadata: ["app": "\(app)", "cause": "\(error)", "remedy": "onefix key add \(app)"])
      }
    }
  }
}

extension AppKey {
  /// As the store knows it.
  fileprivate static func name(of app: AppID) -> String { "key of \(app)" }
}

extension TokenHash {
  /// As the store knows it.
  fileprivate static func name(of app: AppID) -> String { "token of \(app)" }
}

private struct KeyUnreadable: Error, CustomStringConvertible {
  let description = "it has not 32 bytes"
}
