package import Configuration
package import LineProtocol

/// An app that the gateway identifies by its process: by the Unix user, or by the systemd unit.
package struct AppIdentification: Hashable, Sendable {
  package var app: AppID
  package var identity: AppIdentity
  /// The setting that names the user or the unit: the key `uid` or `unit` in the configuration file.
  package var location: ConfigurationLocation

  var isUnit: Bool { if case .unit = identity { true } else { false } }
}

extension GatewayConfiguration {
  /// The apps that the gateway identifies by a Unix user or a systemd unit, in the order of the configuration file.
  package var identities: [AppIdentification] {
    apps.compactMap { app in
      guard let identity = app.identity,
        let location = location(of: "uid", for: app.id) ?? location(of: "unit", for: app.id)
      else { return nil }
      return AppIdentification(app: app.id, identity: identity, location: location)
    }
  }
}

extension Subject {
  var unknownUserFindings: [Finding] {
    configuration.identities.compactMap { app in
      guard case .unknownUser(let name) = app.identity else { return nil }
      return Finding(.userAbsent, at: app.location, ["user": name, "app": "\(app.app)"])
    }
  }

  /// The warnings about apps that a process of another app could impersonate.
  ///
  /// Two apps can have the same Unix user, also in two containers: root in a container without a user namespace is root
  /// of this machine. A simulated board has no warnings, because there every program of the daemon's user may act as
  /// any app.
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

  /// The warnings about apps that cannot use their key or their certificate, because no listener asks for it, and about
  /// apps with one certificate.
  var proofFindings: [Finding] {
    let accepted = Set(configuration.features.flatMap(\.proofs))
    let apps = configuration.apps
    return apps.indices.flatMap { index in
      let app = apps[index]
      func finding(_ fault: Fault, _ proof: AppProof, _ other: AppConfiguration? = nil) -> Finding? {
        configuration.location(of: proof.rawValue, for: app.id).map {
          Finding(fault, at: $0, ["app": "\(app.id)", "other": other.map { "\($0.id)" } ?? ""])
        }
      }
      let twin = apps[..<index].first { app.certificate != nil && $0.certificate == app.certificate }
      return [
        app.hasKey && !accepted.contains(.key) ? finding(.keyUnused, .key) : nil,
        app.certificate != nil && !accepted.contains(.certificate) ? finding(.certificateUnused, .certificate) : nil,
        twin.flatMap { finding(.certificateShared, .certificate, $0) },
      ].compactMap(\.self)
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

  /// Whether one process can act as both apps. Such apps have the same user or systemd unit, and no Unix sockets in
  /// separate folders.
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

  private func hasSocket(_ app: AppID) -> Bool { sockets.contains { $0.takesRequests && $0.app == app } }

  /// Returns the folders of the app's own Unix sockets, including sockets that send data but take no requests.
  private func folders(of app: AppID) -> [String] {
    sockets.filter { $0.app == app }.map { Machine.folder(of: $0.path) }
  }

  /// The default folder of the two Unix sockets that all apps and all owners share.
  private static let standardFolder = "/run/onefix/"
}
