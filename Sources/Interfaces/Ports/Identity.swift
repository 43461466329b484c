package import LineProtocol

/// The SHA-256 of a certificate in DER format.
package typealias CertificateFingerprint = [UInt8]

/// The app of a client, and the method by which the client authenticated.
package struct Identity: Hashable, Sendable {
  package enum Proof: Hashable, Sendable {
    /// The transport identified the app, for example by the user of the process on a Unix socket.
    case transport
    /// The client authenticated with a key. The value is the number of the key in the keyring.
    case key(UInt64)
    /// The client authenticated with a token. The value is the number of the token in the keyring.
    case token(UInt64)
    /// The client authenticated with the certificate that an owner configured for the app.
    case certificate(CertificateFingerprint)
  }

  package var app: AppID
  package var proof: Proof

  package init(_ app: AppID, by proof: Proof) {
    self.app = app
    self.proof = proof
  }
}

/// A rule for the identification of an app: all processes of a user, or of a systemd unit, may act as this app.
package struct IdentityRule: Hashable, Sendable {
  package enum Holder: Hashable, Sendable {
    case uid(UInt32)
    case unit(String)
  }

  package var app: AppID
  package var holder: Holder

  package init(app: AppID, holder: Holder) {
    self.app = app
    self.holder = holder
  }
}

/// The rules for the identification of local processes as apps. If the rules of several apps match, the client names
/// its app in the command HELLO.
package struct IdentityRules: Hashable, Sendable {
  package var apps: [IdentityRule]
  /// The user id whose processes may act as any app; nil unless the hardware is simulated or replayed.
  package var anyAppUID: UInt32?

  package var ids: Set<AppID> { Set(apps.map(\.app)) }

  package init(apps: [IdentityRule], anyAppUID: UInt32? = nil) {
    self.apps = apps
    self.anyAppUID = anyAppUID
  }

  /// Returns the app of a client, or the reason for a refusal.
  ///
  /// - Parameter claimed: The app id that the client sent; nil if the client sent no id.
  package func identify(_ claimed: String?, _ peer: Peer) -> Result<AppID, IdentityRefusal> {
    guard case .process(let uid, let unit) = peer else {
      return .failure(IdentityRefusal("only a process on this machine can be identified by its uid or unit"))
    }
    let own = apps.filter { $0.holder == .uid(uid) || unit.map(IdentityRule.Holder.unit) == $0.holder }
    guard let claimed else {
      if own.count == 1 { return .success(own[0].app) }
      return .failure(IdentityRefusal("the app id is missing: HELLO 1 app=ID"))
    }
    guard let app = AppID(claimed) else { return .failure(IdentityRefusal(Self.idRule)) }
    if own.contains(where: { $0.app == app }) || uid == anyAppUID { return .success(app) }
    let isUnit = apps.contains { if $0.app == app, case .unit = $0.holder { true } else { false } }
    let remedy =
      isUnit && unit == nil
      ? "the unit of the process is unknown; run the app as a system service, on Linux 6.5 or newer"
      : "set 'uid' or 'unit' of this [[app]] in onefix.toml"
    return .failure(IdentityRefusal("\(peer) is not app \(app) (\(remedy))"))
  }

  /// Whether the rules still permit a process to act as its app, for example after a change of the configuration.
  package func admits(_ identity: Identity, _ peer: Peer) -> Bool {
    (try? identify(identity.app.name, peer).get()) != nil
  }

  package static let idRule = "an app id must have 1 to 64 characters of a-z 0-9 . - _ and begin with a letter or digit"
}

/// The reason why a client may not act as an app.
package struct IdentityRefusal: Error, Hashable, Sendable {
  package let text: String

  init(_ text: String) { self.text = text }
}
