package import Authorization

/// What an `[[mqtt]]` says: a broker, and the app that it speaks for.
package struct MQTTSettings: Hashable, Sendable {
  package enum Version: String, Hashable, Sendable, CaseIterable {
    case three = "3.1.1"
    case five = "5"
  }

  /// A name, or an address without brackets.
  package var host: String
  package var port: Int
  package var isEncrypted: Bool
  /// Who is there: whatever is asked under this app's topics speaks for it, and for no other.
  package var app: AppID
  package var version = Version.three
  package var username: String?
  package var passwordFile: String?
  /// Files in PEM form; nil where the system's authorities are trusted, and nothing is shown.
  package var ca: String?
  package var certificate: String?
  package var key: String?
  /// How long after the press a fix is of use.
  package var expires = Duration.seconds(86_400)
  /// Nil where Home Assistant has nothing to do with this broker; false where it is to forget the app.
  package var homeAssistant: Bool?
  package var speaksOwnTracks = false
  /// Where the app's subscriber says that it is there; nil if the file names no topic.
  package var subscriberTopic: String?
  /// How long fixes wait for that after a reconnection, at most.
  package var subscriberTimeout = Duration.seconds(120)
  /// The app's public key of X25519, in base64url; nil where fixes are not sealed.
  package var recipient: String?
  package var clientID: String
  package var brokerPlace: Place
  package var appPlace: Place
  private var lines: [String: Int] = [:]

  /// Where a key stands, or else the broker.
  package func place(of key: String) -> Place {
    Place(file: brokerPlace.file, line: lines[key] ?? brokerPlace.line)
  }

  /// The files that it names, by their keys.
  package var files: [(key: String, path: String)] {
    [("password_file", passwordFile), ("ca", ca), ("certificate", certificate), ("key", key)]
      .compactMap { key, path in path.map { (key, $0) } }
  }

  /// Nil where it cannot be used; what is wrong is reported.
  init?(reading table: TOMLTable, gateway: String) {
    defer { table.finish() }
    let written = table.string("broker")
    table.need("broker")
    let app = table.appID("app")
    table.need("app")
    version = table.choice("version", of: Version.self)?.value ?? version
    username = table.string("username")?.value
    passwordFile = table.path("password_file")?.value
    (ca, certificate, key) = (table.path("ca")?.value, table.path("certificate")?.value, table.path("key")?.value)
    expires = table.integer("expires", in: 1...604_800).map { .seconds($0.value) } ?? expires
    homeAssistant = table.boolean("home_assistant")?.value
    speaksOwnTracks = table.boolean("owntracks")?.value ?? false
    subscriberTopic = MQTTSettings.subscriberTopic(in: table)
    subscriberTimeout =
      table.integer("subscriber_timeout_s", in: 0...86_400).map { .seconds($0.value) } ?? subscriberTimeout
    recipient = MQTTSettings.recipient(in: table)
    let clientID = table.plainText("client_id", columns: 64)?.value
    let isPlain = table.boolean("plain")?.value ?? false
    lines = table.lines
    MQTTSettings.checkPairs(in: table)
    guard let written, let app else { return nil }
    guard let address = MQTTSettings.address(written.value) else {
      table.refuse(
        "broker", written,
        "is \(Wording.quoted(written.value)), but must be as in 'mqtts://mqtt.example.org:8883' or "
          + "'mqtt://127.0.0.1:1883' (a user and a password have keys of their own)")
      return nil
    }
    (isEncrypted, host, port) = address
    guard isEncrypted || isPlain || MQTTSettings.isLoopback(host) else {
      table.refuse(
        "broker", written,
        "is off loopback, where each fix could be read on the way without TLS (say 'mqtts://'; or 'plain = true', where "
          + "nobody else is on the way)")
      return nil
    }
    for name in ["ca", "certificate", "key"] where !isEncrypted && table.node(name) != nil {
      table.diagnostics.report(table.node(name)?.line, "\(table.title(name)) is for 'mqtts://' alone")
    }
    self.app = app.value
    self.clientID = clientID ?? "onefix-\(gateway)-\(app.value.name)"
    brokerPlace = Place(file: table.diagnostics.file, line: written.line)
    appPlace = Place(file: table.diagnostics.file, line: app.line)
  }

  /// Reports keys that say something only together, or not together.
  private static func checkPairs(in table: TOMLTable) {
    for (one, other) in [("certificate", "key"), ("key", "certificate"), ("password_file", "username")] {
      if let node = table.node(one), table.node(other) == nil {
        table.diagnostics.report(node.line, "\(table.title(one)) needs '\(other)', too")
      }
    }
    for key in ["home_assistant", "owntracks"] where table.node("seal_to") != nil {
      guard let node = table.node(key), case .boolean(true) = node.content else { continue }
      table.diagnostics.report(node.line, "\(table.title(key)) reads nothing that is sealed ('seal_to')")
    }
  }

  /// Each app once at a broker, and each client's name.
  static func all(in root: TOMLTable, gateway: String) -> [MQTTSettings] {
    var found: [MQTTSettings] = []
    for table in root.tables("mqtt") {
      guard let settings = MQTTSettings(reading: table, gateway: gateway) else { continue }
      let same = found.filter { $0.host == settings.host && $0.port == settings.port }
      if let first = same.first(where: { $0.app == settings.app }) {
        root.diagnostics.report(
          settings.brokerPlace.line,
          "\(Wording.quoted(settings.app.name)) is at this broker twice (first in line \(first.brokerPlace.line ?? 0))")
      } else if let first = same.first(where: { $0.clientID == settings.clientID }) {
        root.diagnostics.report(
          settings.place(of: "client_id").line,
          "'client_id' is the same as in line \(first.place(of: "client_id").line ?? 0): each would end the other's connection"
        )
      } else {
        found.append(settings)
      }
    }
    return found
  }

  /// Reports brokers whose app there is not, or cannot be there.
  static func check(_ brokers: [MQTTSettings], _ apps: [AppConfiguration], _ diagnostics: Diagnostics) {
    for broker in brokers {
      guard let app = apps.first(where: { $0.id == broker.app }) else {
        diagnostics.report(
          broker.appPlace.line,
          "no [[app]] has the id \(Wording.quoted(broker.app.name))"
            + Wording.suggestion(for: broker.app.name, among: apps.map(\.id.name)))
        continue
      }
      guard app.surface == .display else { continue }
      diagnostics.report(
        broker.appPlace.line,
        "\(Wording.quoted(app.id.name)) is a display, in use while it is there: whether it is behind a broker nobody can tell"
      )
    }
  }

  private static func subscriberTopic(in table: TOMLTable) -> String? {
    guard let written = table.plainText("subscriber_topic", columns: 128) else { return nil }
    guard !written.value.contains(where: { $0 == "+" || $0 == "#" }) else {
      table.refuse("subscriber_topic", written, "must be one topic, without '+' and '#'")
      return nil
    }
    return written.value
  }

  private static func recipient(in table: TOMLTable) -> String? {
    guard let written = table.string("seal_to") else { return nil }
    let isKey =
      written.value.utf8.count == 43
      && written.value.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
      }
    guard isKey else {
      table.refuse("seal_to", written, "must be the 43 letters and digits of a public key of X25519 in base64url")
      return nil
    }
    return written.value
  }

  /// As in `mqtts://mqtt.example.org:8883`; 1883 and 8883 unless it says a port.
  private static func address(_ text: String) -> (isEncrypted: Bool, host: String, port: Int)? {
    guard let scheme = ["mqtt://", "mqtts://"].first(where: { text.hasPrefix($0) }) else { return nil }
    let isEncrypted = scheme == "mqtts://"
    var host = text.dropFirst(scheme.count)
    var port = isEncrypted ? 8883 : 1883
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      let digits = host[host.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits), number > 0 else {
        return nil
      }
      (host, port) = (host[..<colon], Int(number))
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      let inner = String(host.dropFirst().dropLast())
      return ListenSettings.isIPv6(inner) ? (isEncrypted, inner, port) : nil
    }
    let isName =
      (1...253).contains(host.utf8.count)
      && host.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || ".-_".unicodeScalars.contains($0))
      }
    return isName ? (isEncrypted, String(host), port) : nil
  }

  private static func isLoopback(_ host: String) -> Bool { host == "localhost" || ListenSettings.isLoopback(host) }
}
