package import LineProtocol

/// The identity of an app's process: the Unix user that runs the process, or the systemd unit of the process.
package enum AppIdentity: Hashable, Sendable {
  case uid(UInt32)
  /// A user name that did not exist when the gateway read the configuration. No process has this identity, even if the
  /// user is created later.
  case unknownUser(String)
  /// A systemd unit, as in `foo.service`.
  case unit(String)
}

/// The kind of an app's user interface. The kind determines when the app counts as in use.
package enum AppSurface: String, Hashable, Sendable, CaseIterable {
  /// A permanent display. The app is in use while the app is connected.
  case display
  /// A window. The app reports whether the user can see the window, and the use ends soon after the window is hidden.
  case window
}

/// The configuration of an app: one table `[[app]]` of `onefix.toml`.
package struct AppConfiguration: Hashable, Sendable {
  package var id: AppID
  /// The Unix user or systemd unit by which the gateway recognizes the app on a Unix socket; nil if the app uses no
  /// such socket. Several apps can have the same identity.
  package var identity: AppIdentity?
  /// Whether the app can authenticate over a network with a secret key.
  package var hasKey = false
  /// The SHA-256 fingerprint of the app's TLS client certificate (DER); nil if the app has none.
  package var certificate: [UInt8]?
  /// The initial accuracy of the app's fixes, which a user can change. For the location service GeoClue, the default is
  /// at most `reduced`.
  package var accuracy = FixAccuracy.full
  package var surface = AppSurface.window
  /// Whether the app never gets a location. Users cannot change this setting.
  package var isRestricted = false
  /// The name of the app for users: plain text of at most 40 columns. The default is the id.
  package var name: String

  /// Whether the configured Unix user of the app did not exist when the gateway read the configuration.
  package var isWithoutUser: Bool { if case .unknownUser? = identity { true } else { false } }

  static let idRule = "1...64 lower-case letters, digits, '.', '-' and '_', beginning with a letter or digit"
}

extension AppConfiguration {

  /// Reads a table `[[app]]`. Returns nil if the id is missing or invalid.
  /// - Parameters:
  ///   - known: The apps that a serial port or an MQTT broker identifies. Their tables need no user, unit, key or
  ///     certificate.
  ///   - uid: Returns the numeric id of a user name; nil if the user does not exist.
  init?(reading table: TOMLTable, defaultAccuracy: FixAccuracy, known: Set<AppID>, uid: (String) -> UInt32?) {
    defer { table.finish() }
    let id = table.required("id", table.appID)?.value
    let identity = AppConfiguration.identity(in: table, uid: uid)
    hasKey = table.boolean("key")?.value ?? false
    certificate = AppConfiguration.certificate(in: table)
    if id.map(known.contains) != true { AppConfiguration.requireIdentity(in: table) }
    // GeoClue gives its location to other applications, which the gateway cannot see.
    let isGeoClue = identity.map { $0 == .unit("geoclue.service") || $0 == uid("geoclue").map(AppIdentity.uid) }
    let usual = isGeoClue == true ? min(.reduced, defaultAccuracy) : defaultAccuracy
    accuracy = table.choice("accuracy", of: FixAccuracy.self)?.value ?? usual
    surface = table.choice("surface", of: AppSurface.self)?.value ?? .window
    isRestricted = table.boolean("restricted")?.value ?? false
    let name = table.plainText("name", columns: 40)
    if let name, name.value.allSatisfy({ $0 == " " }) { table.reject("name", "is empty") }
    guard let id else { return nil }
    self.id = id
    self.identity = identity
    self.name = name?.value ?? id.name
  }

  /// Reports an error if the table contains neither a user, nor a systemd unit, a key or a certificate to authenticate
  /// the app.
  private static func requireIdentity(in table: TOMLTable) {
    guard !["uid", "unit", "certificate"].contains(where: table.has) else { return }
    if case .boolean(false) = table.node("key")?.content ?? .boolean(false) {
      table.reject(
        "needs 'uid', 'unit', 'key = true' or 'certificate' for authentication, or an output or a port that names the app"
      )
    }
  }

  /// Parses a SHA-256 fingerprint in the format of `openssl x509 -fingerprint -sha256`, with or without colons. Returns
  /// nil if the key is missing or invalid.
  private static func certificate(in table: TOMLTable) -> [UInt8]? {
    let rule =
      "'sha256:' and the 64 hexadecimal digits of its fingerprint (openssl x509 -in FILE -noout -fingerprint -sha256)"
    return table.parsed("certificate", rule: rule) { text -> [UInt8]? in
      let digits = text.hasPrefix("sha256:") ? text.dropFirst(7).filter { $0 != ":" } : ""
      let values = digits.compactMap { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
      guard digits.count == 64, values.count == 64 else { return nil }
      return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }?.value
  }

  private static func identity(in table: TOMLTable, uid: (String) -> UInt32?) -> AppIdentity? {
    switch (table.node("uid"), table.node("unit")) {
    case (nil, nil): return nil
    case (_?, _?):
      table.reject("has 'uid' and 'unit', but must have only one")
      return nil
    case (let node?, nil):
      switch node.content {
      case .string: return table.string("uid").map { uid($0.value).map { .uid($0) } ?? .unknownUser($0.value) }
      // The largest value of `uid_t` means "no user".
      case .integer: return table.integer("uid", in: 0...Int64(UInt32.max - 1)).map { .uid(UInt32($0.value)) }
      default:
        table.reject("uid", "must be a user's number or name, not \(node.kind)")
        return nil
      }
    case (nil, _?):
      return table.parsed("unit", rule: "a systemd service, as in 'foo.service'") { name in
        isUnit(name) ? AppIdentity.unit(name) : nil
      }?.value
    }
  }

  /// Whether a text is the name of a systemd service that can run. A template such as `foo@.service` cannot run without
  /// an instance name. (systemd.unit(5))
  private static func isUnit(_ name: String) -> Bool {
    guard name.utf8.count <= 255, name.hasSuffix(".service") else { return false }
    let stem = name.dropLast(8)
    return !stem.isEmpty && stem.last != "@" && stem.first != "@" && stem.hasOnlyLetters(":-_.\\@")
  }
}
