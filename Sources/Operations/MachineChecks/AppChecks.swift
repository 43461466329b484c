package import Authorization
package import Configuration

/// An app that the gateway identifies by the user or the unit of its process.
package struct AppIdentification: Hashable, Sendable {
  package var app: AppID
  package var identity: AppIdentity
  /// The location of the key `uid` or `unit` in the configuration file.
  package var place: Place

  package init(app: AppID, identity: AppIdentity, place: Place) {
    self.app = app
    self.identity = identity
    self.place = place
  }

  var isUnit: Bool { if case .unit = identity { true } else { false } }
}

extension GatewayConfiguration {
  /// The apps that are identified by a user or a unit, in the order of the file.
  package var identities: [AppIdentification] {
    apps.compactMap { app in
      guard let identity = app.identity, let place = identityPlaces[app.id] else { return nil }
      return AppIdentification(app: app.id, identity: identity, place: place)
    }
  }
}

extension Subject {
  /// Returns a finding for each app whose process can act as another app. These can be processes of one user, or of two
  /// containers: root in a container without a user namespace is root of this machine.
  ///
  /// On a simulated board, every program of the daemon's user may act as any app.
  var sharedAppFindings: [Finding] {
    guard !board.isSimulated else { return [] }
    let exposed = sockets.filter { Self.standardFolder.hasPrefix($0.folder + "/") }.map { settings in
      Finding(
        .appShared, .warning, at: settings.place,
        "a container with the folder of \(settings.path) also has the sockets of all apps and of the owners",
        remedy: Self.remedy(settings.app))
    }
    return exposed
      + identities.indices.compactMap { index in
        let app = identities[index]
        if let other = identities[..<index].first(where: { areShared($0, app) }) { return shared(app, with: other) }
        guard app.identity == .uid(0), folders(of: app.app).isEmpty else { return nil }
        return Finding(
          .appShared, .warning, at: app.place,
          "app '\(app.app)' is each process of root that can connect, also in containers without a user namespace",
          remedy: Self.remedy(app.app))
      }
  }

  private func shared(_ app: AppIdentification, with other: AppIdentification) -> Finding {
    let who =
      switch app.identity {
      case .uid(let uid): "uid \(uid)"
      case .unit(let unit): unit
      }
    let places = folders(of: app.app).isEmpty || folders(of: other.app).isEmpty
    return Finding(
      .appShared, .warning, at: app.place,
      "apps '\(other.app)' and '\(app.app)' are both \(who): "
        + (places
          ? "its processes can act as both apps, also in two containers"
          : "a container with the folder of one socket has the socket of the other app, too"),
      remedy: places ? "give each app a user of its own; for containers: " + Self.remedy(app.app) : Self.remedy(app.app)
    )
  }

  /// Whether one process can act as both apps: the kernel reports the same identity, and no socket separates them.
  private func areShared(_ first: AppIdentification, _ second: AppIdentification) -> Bool {
    guard first.identity == second.identity else { return false }
    let (own, others) = (folders(of: first.app), folders(of: second.app))
    if own.isEmpty || others.isEmpty { return true }
    func overlap(_ left: [String], _ right: [String]) -> Bool {
      left.contains { folder in right.contains { folder.hasPrefix($0) || $0.hasPrefix(folder) } }
    }
    return overlap(own, others + readerFolders(of: second.app)) || overlap(own + readerFolders(of: first.app), others)
  }

  /// The folders of the sockets of an app, each with a trailing slash.
  private func folders(of app: AppID) -> [String] { sockets.filter { $0.app == app }.map { $0.folder + "/" } }

  /// The folders of the sockets at which an app reads NMEA sentences, each with a trailing slash.
  private func readerFolders(of app: AppID) -> [String] {
    nmea.filter { $0.app == app }.compactMap { settings in
      guard case .socket(let path) = settings.endpoint, let slash = path.lastIndex(of: "/") else { return nil }
      return String(path[...slash])
    }
  }

  /// The folder of the sockets of all apps and of the owners, if the daemon has no option `--socket`.
  private static let standardFolder = "/run/onefix/"

  private static func remedy(_ app: AppID) -> String {
    "a socket in a folder of its own: [[listen]] socket = \"/run/onefix/\(app)/onefix.sock\", app = \"\(app)\""
  }
}
