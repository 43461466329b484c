package import Authorization

/// Which app speaks, and by what the gateway knows.
package struct Identity: Hashable, Sendable {
  package enum Proof: Hashable, Sendable {
    /// The transport tells.
    case transport
    /// It has the key that was made under this number.
    case key(UInt64)
    /// It has the token that was made under this number.
    case token(UInt64)
    /// It showed the certificate that is configured.
    case certificate(TLSIdentity.Fingerprint)
  }

  package var app: AppID
  package var proof: Proof

  package init(_ app: AppID, by proof: Proof) {
    self.app = app
    self.proof = proof
  }
}

/// How the clients of a listener are known.
package enum Identification: Sendable {
  /// Only owners can open its socket.
  case owners
  /// The kernel tells who they are.
  case kernel(Live<IdentityRules>)
  /// They have to prove it: by a key, over TLS also by a token, or by the certificate that is named for an app here.
  case proof(certificates: Live<[AppID: TLSIdentity.Fingerprint]> = Live([:]))
  /// Whatever is there is this app: so it is configured for the port.
  case port(AppID)

  var role: Connection.Role {
    switch self {
    case .owners: .owner
    case .kernel, .proof, .port: .app
    }
  }
}

/// Who may speak as an app.
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

/// The gateway decides who an app is: what the client claims only chooses among what it may be.
package struct IdentityRules: Hashable, Sendable {
  package var apps: [IdentityRule]
  /// Where board and receiver are simulated or replayed, a process of this uid may use any app id.
  package var anyAppUID: UInt32?

  package init(apps: [IdentityRule], anyAppUID: UInt32? = nil) {
    self.apps = apps
    self.anyAppUID = anyAppUID
  }

  /// The app that a peer speaks for; nil, with a reason for people, where it may not.
  package func identify(_ claimed: String?, _ peer: Peer) -> Result<AppID, IdentityRefusal> {
    guard case .process(let uid, let unit) = peer else {
      return .failure(IdentityRefusal("only a process of this machine is known by its uid or unit"))
    }
    let own = apps.filter { $0.holder == .uid(uid) || unit.map(IdentityRule.Holder.unit) == $0.holder }
    guard let claimed else {
      if own.count == 1 { return .success(own[0].app) }
      return .failure(IdentityRefusal("say which app you are: HELLO 1 app=ID"))
    }
    guard let app = AppID(claimed) else { return .failure(IdentityRefusal(Self.idRule)) }
    if own.contains(where: { $0.app == app }) || uid == anyAppUID { return .success(app) }
    let isUnit = apps.contains { if $0.app == app, case .unit = $0.holder { true } else { false } }
    let remedy =
      isUnit && unit == nil
      ? "its unit is not known; run it as a service of the system, on Linux 6.5 or newer"
      : "configure [[app]] id and uid or unit in onefix.toml"
    return .failure(IdentityRefusal("\(peer) may not speak as \(app); \(remedy)"))
  }

  static let idRule = "an app id has 1 to 64 of a-z 0-9 . - _ and begins with a letter or digit"
}

/// Why a peer is not taken for the app that it claims to be.
package struct IdentityRefusal: Error, Hashable, Sendable {
  package let text: String

  init(_ text: String) { self.text = text }
}
