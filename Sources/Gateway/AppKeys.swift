import Authorization
import LineProtocol
import LineServer
import Logging
import StateStore
import SystemClock

/// The keys by which apps prove themselves where the transport does not tell who they are.
extension Gateway {
  /// Makes a key for an app, in place of the one it had; it is on the disk, sealed, when this returns.
  func addKey(_ name: String) throws -> (app: AppID, key: AppKey) {
    let app = try keyedApp(name)
    let key = AppKey()
    do {
      try store.seal(key.bytes, as: AppKey.name(of: app))
    } catch {
      logger.error("a key was not made", metadata: ["app": "\(app)", "cause": "\(error)"])
      throw LineError(.store, "the key cannot be kept; the gateway's log says why")
    }
    keyring.set(key, of: app)
    logger.notice("a key was made", metadata: ["app": "\(app)"])
    endUnproven(app)
    return (app, key)
  }

  /// Takes an app's key away. Who proved to be the app by it is nobody any more.
  func revokeKey(_ name: String) throws -> AppID {
    let app = try keyedApp(name)
    keyring.set(nil, of: app)
    endUnproven(app)
    do {
      try store.erase(AppKey.name(of: app))
    } catch {
      logger.error("a key is revoked until the next start only", metadata: ["app": "\(app)", "cause": "\(error)"])
      throw LineError(.store, "the key is revoked until the next start only; the gateway's log says why")
    }
    logger.notice("a key was revoked", metadata: ["app": "\(app)"])
    return app
  }

  private func keyedApp(_ name: String) throws(LineError) -> AppID {
    let app = try knownApp(name)
    guard setup.keyedApps.contains(app) else {
      throw LineError(.badArgument, "\(app) has no key = true in onefix.toml")
    }
    return app
  }

  /// Ends the sessions of an app whose proof holds no more.
  private func endUnproven(_ app: AppID) {
    for session in sessions.of(app) {
      guard !keyring.holds(Identity(app, by: session.proof)) else { continue }
      let connection = session.connection
      end(session.id)
      if let connection { revoke(connection, tag: nil) }
    }
  }

  func revoke(_ connection: Connection, tag: String?) {
    connection.recall(.all)
    connection.send(.error(LineError(.authFailed, "the key was revoked"), tag: tag, [:]))
    connection.close()
  }
}

extension Keyring {
  /// Takes the keys that were kept. One that cannot be read proves nothing.
  func fill(from store: StateStore, for apps: Set<AppID>, _ logger: Logger) {
    for app in apps {
      do {
        guard let bytes = try store.unseal(AppKey.name(of: app)) else { continue }
        guard let key = AppKey(bytes: bytes) else { throw KeyUnreadable() }
        set(key, of: app)
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

private struct KeyUnreadable: Error, CustomStringConvertible {
  let description = "it has not 32 bytes"
}
