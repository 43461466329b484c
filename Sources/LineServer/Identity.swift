package import Authorization

/// Who is at the other end of a connection, as the kernel tells.
package struct Peer: Hashable, Sendable {
  package var uid: UInt32
  /// The *system* unit that the peer's process runs in, as in `kiosk.service`; nil for anything else.
  package var unit: String?

  package init(uid: UInt32, unit: String? = nil) {
    self.uid = uid
    self.unit = unit
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
  /// Where board and receiver are simulated or replayed, a peer of this uid may use any app id.
  package var anyAppUID: UInt32?

  package init(apps: [IdentityRule], anyAppUID: UInt32? = nil) {
    self.apps = apps
    self.anyAppUID = anyAppUID
  }

  /// The app that a peer speaks for; nil, with a reason for people, where it may not.
  package func identify(_ claimed: String?, _ peer: Peer) -> Result<AppID, IdentityRefusal> {
    let own = apps.filter { $0.holder == .uid(peer.uid) || peer.unit.map(IdentityRule.Holder.unit) == $0.holder }
    guard let claimed else {
      if own.count == 1 { return .success(own[0].app) }
      return .failure(IdentityRefusal("say which app you are: HELLO 1 app=ID"))
    }
    guard let app = AppID(claimed) else {
      return .failure(
        IdentityRefusal("an app id has 1 to 64 of a-z 0-9 . - _ and begins with a letter or digit"))
    }
    if own.contains(where: { $0.app == app }) || peer.uid == anyAppUID { return .success(app) }
    return .failure(
      IdentityRefusal(
        "uid \(peer.uid)\(peer.unit.map { " (\($0))" } ?? "") may not speak as \(app); "
          + "configure [[app]] id and uid or unit in onefix.toml"))
  }
}

/// Why a peer is not taken for the app that it claims to be.
package struct IdentityRefusal: Error, Hashable, Sendable {
  package let text: String

  init(_ text: String) { self.text = text }
}
