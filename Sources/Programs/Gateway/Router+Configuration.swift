import Authorization
import Base
import LineProtocol
import Logging
import OperatingSystem
import Ports

// Changes the configuration and the keys while the gateway runs.
extension Router {
  /// Reads the configuration again, and uses the new configuration if it has no error.
  ///
  /// A revoked authorization ends immediately: no further byte of a fix is sent to its app. The gateway also ends
  /// sessions of clients that may no longer act as their app, and erases keys that apps may no longer have.
  /// - Returns: The changed configuration keys that take effect only at the next start.
  /// - Throws: The error in the configuration, with its file and line.
  mutating func reload(at now: ClockReading) throws -> [String] {
    guard let read = dependencies.reload else {
      throw LineError(.unknownVerb, "this gateway has no configuration file to read again")
    }
    let new: Reconfiguration
    do { new = try read() } catch {
      outputs.log(
        .gateway, .error, "cannot apply the configuration; the former configuration stays in force",
        ["cause": "\(error)"])
      configuration.reject()
      throw error
    }
    let former = configuration.policy.keyedApps
    let waiting = configuration.apply(new)
    new.putInForce()
    let policy = new.policy
    metrics.labelledApps = Set(policy.authorization.newAppAccuracy.keys)
    for app in former.subtracting(policy.keyedApps).sorted() { revokeKey(of: app, at: now) }
    fillKeyring(for: policy.keyedApps.subtracting(former))
    for session in sessions.sorted
    where !new.admits(Identity(session.app, by: session.proof), session.peer, session.transport) {
      if session.connection?.sink != nil { configuration.noteEndedOutput(of: session.app) }
      expel(session, CurrentConfiguration.disowned, at: now)
    }
    let restart = waiting.isEmpty ? "nothing" : waiting.joined(separator: ", ")
    handle(.ordered(.configure(policy.authorization)), at: now)
    outputs.log(.gateway, .notice, "the configuration was read again", ["from the next start on": restart])
    return waiting
  }

  // MARK: Keys

  /// Returns the app with this name, if the app may have a key.
  /// - Throws: The error for the owner (administrator), if there is no such app, or if the configuration does not
  ///   permit a key for the app.
  func keyedApp(_ name: String) throws(LineError) -> AppID {
    let app = try knownApp(name)
    guard configuration.policy.keyedApps.contains(app) else {
      throw LineError(.badArgument, "\(app) has no key = true in onefix.toml")
    }
    return app
  }

  /// Creates and saves a new key or token for an app, in place of the former one. The store contains the encrypted key,
  /// or only the hash of the token.
  mutating func addKey(to app: AppID, isToken: Bool, at now: ClockReading) throws(LineError) -> (AppID, AppKey) {
    let secret = AppKey()
    let hash = TokenHash(of: secret)
    do {
      let name = isToken ? TokenHash.name(of: app) : AppKey.name(of: app)
      try disclosures.log.seal(isToken ? hash.bytes : secret.bytes, as: name)
    } catch {
      outputs.log(.gateway, .error, "cannot save a key", ["app": "\(app)", "cause": "\(error)"])
      throw LineError(.store, "the gateway cannot save the key (its log has the cause)")
    }
    if isToken { keyring.set(hash, of: app) } else { keyring.set(secret, of: app) }
    outputs.log(.gateway, .notice, "\(isToken ? "a token" : "a key") was created", ["app": "\(app)"])
    endUnproven(app, at: now)
    return (app, secret)
  }

  /// Removes the key and the token of an app, and ends the sessions that authenticated with them.
  /// - Returns: False if the removal could not be saved. The removal is in force in any case.
  @discardableResult
  mutating func revokeKey(of app: AppID, at now: ClockReading) -> Bool {
    keyring.set(nil as AppKey?, of: app)
    keyring.set(nil as TokenHash?, of: app)
    endUnproven(app, at: now)
    let names = [AppKey.name(of: app), TokenHash.name(of: app)]
    for name in names { disclosures.log.revoke(value: name, to: nil, at: now.monotonic, &outputs) }
    outputs.log(.gateway, .notice, "a key was revoked", ["app": "\(app)"])
    return !names.contains { disclosures.log.isUnsaved(value: $0) }
  }

  /// Removes the saved keys and tokens of the apps that may have none. A key that an earlier configuration permitted
  /// must not become valid again with a later configuration.
  mutating func revokeDisusedKeys(at now: ClockReading) {
    do {
      let apps = Set(try disclosures.log.sealedNames.compactMap(AppID.init(ofSecret:)))
      for app in apps.subtracting(configuration.policy.keyedApps).sorted() { revokeKey(of: app, at: now) }
    } catch {
      outputs.log(.gateway, .error, "cannot read which apps have keys", ["cause": "\(error)"])
    }
  }

  /// Ends the sessions of an app that authenticated with a key or a token that is no longer valid.
  private mutating func endUnproven(_ app: AppID, at now: ClockReading) {
    for session in sessions.of(app) where !keyring.holds(Identity(app, by: session.proof)) {
      expel(session, CurrentConfiguration.revoked, at: now)
    }
  }

  /// Loads the saved keys and tokens of apps. If a key cannot be read, no client can authenticate with this key.
  mutating func fillKeyring(for apps: Set<AppID>) {
    for app in apps.sorted() {
      do {
        if let bytes = try disclosures.log.unseal(AppKey.name(of: app)) {
          guard let key = AppKey(bytes: bytes) else { throw KeyUnreadable() }
          keyring.set(key, of: app)
        }
        if let bytes = try disclosures.log.unseal(TokenHash.name(of: app)) {
          guard let hash = TokenHash(bytes: bytes) else { throw KeyUnreadable() }
          keyring.set(hash, of: app)
        }
      } catch {
        outputs.log(
          .gateway, .error, "cannot read the key of an app; it authenticates no client",
          ["app": "\(app)", "cause": "\(error)", "remedy": "create a new key with onefix key add \(app)"])
      }
    }
  }
}

extension AppKey {
  fileprivate static let prefix = "key of "
  fileprivate static func name(of app: AppID) -> String { "\(prefix)\(app)" }
}

extension TokenHash {
  fileprivate static let prefix = "token of "
  fileprivate static func name(of app: AppID) -> String { "\(prefix)\(app)" }
}

extension AppID {
  /// The app of a saved key or token, from the name of the encrypted value; nil for every other value.
  fileprivate init?(ofSecret name: String) {
    guard let prefix = [AppKey.prefix, TokenHash.prefix].first(where: { name.hasPrefix($0) }) else { return nil }
    self.init(String(name.dropFirst(prefix.count)))
  }
}

private struct KeyUnreadable: Error, CustomStringConvertible {
  let description = "the saved secret does not have 32 bytes"
}
