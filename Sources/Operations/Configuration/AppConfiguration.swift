package import Authorization

/// By what the gateway knows an app: the user or the service that it runs as.
package enum AppIdentity: Hashable, Sendable {
  case uid(UInt32)
  /// A systemd unit, as in `foo.service`.
  case unit(String)
}

/// Where an app shows what it has.
package enum AppSurface: String, Hashable, Sendable, CaseIterable {
  /// A display on the wall: in use for as long as it is connected.
  case display
  case window
}

/// What the owner configures for an app.
package struct AppConfiguration: Hashable, Sendable {
  package var id: AppID
  /// On the Unix socket, where several apps may share one; nil where it is not known there.
  package var identity: AppIdentity?
  /// Whether it may prove itself by a key, over a network.
  package var hasKey: Bool
  /// The SHA-256 of the certificate (DER) that it may show over TLS; nil where it has none.
  package var certificate: [UInt8]?
  /// The accuracy that the app begins with.
  package var accuracy: Accuracy
  package var surface: AppSurface
  /// The owner forbids it: no prompt can change that.
  package var isRestricted: Bool
  /// What people see: plain text of at most 40 columns; the id unless configured.
  package var name: String

  package init(
    id: AppID, identity: AppIdentity?, hasKey: Bool = false, certificate: [UInt8]? = nil, accuracy: Accuracy = .full,
    surface: AppSurface = .window, isRestricted: Bool = false, name: String? = nil
  ) {
    self.id = id
    self.identity = identity
    self.hasKey = hasKey
    self.certificate = certificate
    self.accuracy = accuracy
    self.surface = surface
    self.isRestricted = isRestricted
    self.name = name ?? id.name
  }

  static let idRule = "1...64 lower-case letters, digits, '.', '-' and '_', beginning with a letter or digit"

  /// Nil where it cannot be used; what is wrong is reported.
  /// - Parameter known: the apps at the other ends of serial ports, and behind brokers.
  init?(reading table: TOMLTable, defaultAccuracy: Accuracy, known: Set<AppID>, uid: (String) -> UInt32?) {
    defer { table.finish() }
    let id = table.appID("id")?.value
    table.need("id")
    let identity = AppConfiguration.identity(in: table, uid: uid)
    hasKey = table.boolean("key")?.value ?? false
    certificate = AppConfiguration.certificate(in: table)
    if id.map(known.contains) != true { AppConfiguration.needIdentity(in: table) }
    accuracy = table.choice("accuracy", of: Accuracy.self)?.value ?? defaultAccuracy
    surface = table.choice("surface", of: AppSurface.self)?.value ?? .window
    isRestricted = table.boolean("restricted")?.value ?? false
    let name = table.plainText("name", columns: 40)
    if let name, name.value.allSatisfy({ $0 == " " }) { table.refuse("name", name, "is empty") }
    guard let id else { return nil }
    self.id = id
    self.identity = identity
    self.name = name?.value ?? id.name
  }

  /// Reports an app that nobody can be.
  private static func needIdentity(in table: TOMLTable) {
    guard table.node("uid") == nil, table.node("unit") == nil, table.node("certificate") == nil else { return }
    if case .boolean(false) = table.node("key")?.content ?? .boolean(false) {
      table.diagnostics.report(
        table.line, "\(table.name) needs 'uid', 'unit', 'key = true' or 'certificate': who the app is")
    }
  }

  /// As `openssl x509 -fingerprint -sha256` writes it, with colons or without.
  private static func certificate(in table: TOMLTable) -> [UInt8]? {
    guard let written = table.string("certificate") else { return nil }
    let digits = written.value.hasPrefix("sha256:") ? written.value.dropFirst(7).filter { $0 != ":" } : ""
    let values = digits.compactMap { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
    guard digits.count == 64, values.count == 64 else {
      table.refuse(
        "certificate", written,
        "is \(Wording.quoted(written.value)), but must be 'sha256:' and the 64 hexadecimal digits of its fingerprint "
          + "(openssl x509 -in FILE -noout -fingerprint -sha256)")
      return nil
    }
    return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static func identity(in table: TOMLTable, uid: (String) -> UInt32?) -> AppIdentity? {
    switch (table.node("uid"), table.node("unit")) {
    case (nil, nil): return nil
    case (_?, _?):
      table.diagnostics.report(table.line, "\(table.name) has 'uid' and 'unit': one app is one of them")
      return nil
    case (let node?, nil):
      if case .string(let name) = node.content {
        guard let number = uid(name) else {
          table.refuse(
            "uid", Located(value: name, line: node.line), "is \(Wording.quoted(name)), but there is no such user")
          return nil
        }
        return .uid(number)
      }
      guard case .integer = node.content else {
        table.diagnostics.report(
          node.line, "\(table.title("uid")) must be a user's number or name, not \(node.kind)")
        return nil
      }
      // The largest number means "no user".
      return table.integer("uid", in: 0...Int64(UInt32.max - 1)).map { .uid(UInt32($0.value)) }
    case (nil, _?):
      guard let unit = table.string("unit") else { return nil }
      guard isUnit(unit.value) else {
        table.refuse(
          "unit", unit, "is \(Wording.quoted(unit.value)), but must be a systemd service, as in 'foo.service'")
        return nil
      }
      return .unit(unit.value)
    }
  }

  /// systemd.unit(5): at most 255 of these characters; a template without its instance is no unit that runs.
  private static func isUnit(_ name: String) -> Bool {
    guard name.utf8.count <= 255, name.hasSuffix(".service") else { return false }
    let stem = name.dropLast(8)
    return !stem.isEmpty && stem.last != "@" && stem.first != "@"
      && stem.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || ":-_.\\@".unicodeScalars.contains($0))
      }
  }
}
