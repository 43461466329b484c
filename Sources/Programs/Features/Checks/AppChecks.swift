package import LineProtocol
package import Configuration

/// An app that the gateway identifies by the user or the systemd unit of its process.
package struct AppIdentification: Hashable, Sendable {
  package var app: AppID
  package var identity: AppIdentity
  /// The location of the key `uid` or `unit` in the configuration file.
  package var location: ConfigurationLocation

  var isUnit: Bool { if case .unit = identity { true } else { false } }
}

extension GatewayConfiguration {
  /// The apps that the gateway identifies by a user or a systemd unit, in the order of the file.
  package var identities: [AppIdentification] {
    apps.compactMap { app in
      guard let identity = app.identity, let location = identityLocations[app.id] else { return nil }
      return AppIdentification(app: app.id, identity: identity, location: location)
    }
  }
}

extension Subject {
  /// One error for each app whose configured user does not exist.
  var unknownUserFindings: [Finding] {
    configuration.identities.compactMap { app in
      guard case .unknownUser(let name) = app.identity else { return nil }
      return Finding(.userAbsent, at: app.location, ["user": name, "app": "\(app.app)"])
    }
  }

  /// One warning for each app as which another app's process can act.
  ///
  /// Two apps can have the same user, or be in containers: root in a container without a user namespace is root of this
  /// machine. A simulated board has no warnings, because every program of the daemon's user may act as any app there.
  var sharedAppFindings: [Finding] {
    guard !board.isSimulated else { return [] }
    let exposed = sockets.filter { $0.takesRequests && Self.standardFolder.hasPrefix(Machine.folder(of: $0.path)) }
    let identities = configuration.identities
    return exposed.map { Finding(.socketExposed, at: $0.location, ["path": $0.path, "app": "\($0.app)"]) }
      + identities.indices.compactMap { index in
        let app = identities[index]
        if let other = identities[..<index].first(where: { areShared($0, app) }) { return shared(app, with: other) }
        guard app.identity == .uid(0), !hasSocket(app.app) else { return nil }
        return Finding(.rootIsApp, at: app.location, ["app": "\(app.app)"])
      }
  }

  private func shared(_ app: AppIdentification, with other: AppIdentification) -> Finding {
    let user =
      switch app.identity {
      case .uid(let uid): "uid \(uid)"
      case .unknownUser(let name): name
      case .unit(let unit): unit
      }
    return Finding(
      hasSocket(app.app) && hasSocket(other.app) ? .socketsShared : .userShared, at: app.location,
      ["other": "\(other.app)", "app": "\(app.app)", "user": user])
  }

  /// Whether one process can act as both apps: the user or unit is the same, and no separate sockets distinguish the
  /// apps.
  private func areShared(_ first: AppIdentification, _ second: AppIdentification) -> Bool {
    guard first.identity == second.identity else { return false }
    // No process is a user that does not exist.
    if case .unknownUser = first.identity { return false }
    guard hasSocket(first.app), hasSocket(second.app) else { return true }
    let others = folders(of: second.app)
    return folders(of: first.app).contains { folder in
      others.contains { folder.hasPrefix($0) || $0.hasPrefix(folder) }
    }
  }

  private var sockets: [AppSocket] { configuration.features.flatMap(\.sockets) }

  /// Whether an app has a socket of its own, and therefore does not use the socket of all apps.
  private func hasSocket(_ app: AppID) -> Bool { sockets.contains { $0.takesRequests && $0.app == app } }

  /// Returns the folders of all sockets of an app, also of the sockets at which the app only reads.
  private func folders(of app: AppID) -> [String] {
    sockets.filter { $0.app == app }.map { Machine.folder(of: $0.path) }
  }

  /// The default folder of the socket for all apps and of the socket for owners.
  private static let standardFolder = "/run/onefix/"
}
