import Configuration
import Testing

@testable import Features

/// Apps that one process can act as, for example the apps of two containers.
@Suite struct AppTests {
  /// Returns the findings for apps, each with its user or unit and the paths of its sockets.
  private func findings(
    _ apps: [(id: String, identity: String, sockets: [String])], on text: String = boardText
  ) throws -> [Finding] {
    let tables = apps.map { "[[app]]\nid = \"\($0.id)\"\n\($0.identity)\n" }
    let sockets = apps.flatMap { app in
      app.sockets.map { "[[listen]]\nsocket = \"\($0)\"\napp = \"\(app.id)\"\n" }
    }
    let subject = try subject(of: (tables + sockets).joined(), [ListenFeature.self], on: text)
    return subject.configurationFindings.filter { $0.code == "app-shared" }
  }

  @Test func `an app whose user does not exist is reported, and is not shared with another`() throws {
    let lines = "[[app]]\nid = \"a\"\nuid = \"ghost\"\n[[app]]\nid = \"b\"\nuid = \"ghost\"\n"
    let subject = try subject(of: lines, [], uid: { _ in nil })
    #expect(brief(subject.configurationFindings) == ["error app-user onefix.toml:3", "error app-user onefix.toml:6"])
    #expect(subject.warnings(on: nil).map(\.code) == ["app-user", "app-user"])
    #expect(subject.configurationFindings.allSatisfy { !$0.fault.isConfiguration && $0.remedy?.isEmpty == false })
  }

  @Test func `apps with a user, a unit, or a folder of their own have no finding`() throws {
    #expect(
      try findings([
        ("a", "uid = 1000", []), ("b", "uid = 1001", []), ("c", "unit = \"c.service\"", []),
        ("d", "uid = 0", ["/run/onefix/d/s"]), ("e", "uid = 0", ["/run/onefix/e/s", "/run/other/e/s"]),
        // The names of these folders begin in the same way.
        ("x", "uid = 0", ["/run/x/s"]), ("y", "uid = 0", ["/run/xy/s"]),
      ]).isEmpty)
  }

  @Test(arguments: [
    ("uid = 1000", [], []), ("unit = \"a.service\"", [], []), ("uid = 0", ["/run/onefix/a/s"], []),
    ("uid = 0", ["/run/x/a.sock"], ["/run/x/b.sock"]), ("uid = 0", ["/run/x/s"], ["/run/x/b/s"]),
    ("uid = 0", ["/run/x/a/s"], ["/run/x/s"]),
  ])
  func `two apps with one user or unit are reported, unless their sockets are in separate folders`(
    identity: String, first: [String], second: [String]
  ) throws {
    let found = try findings([("a", identity, first), ("b", identity, second)])
    #expect(brief(found).last == "warning app-shared onefix.toml:6")
    let finding = try #require(found.last)
    #expect(finding.message.contains("apps 'a' and 'b' are both ") && finding.message.contains("container"))
    #expect(finding.remedy?.contains("/run/onefix/b/onefix.sock") == true && finding.fault.isConfiguration)
  }

  @Test(arguments: ["/run/onefix/a.sock", "/run/a.sock"])
  func `a folder with the sockets of all apps and of the owners is reported`(socket: String) throws {
    let found = try findings([("a", "uid = 1000", [socket])])
    #expect(brief(found) == ["warning app-shared onefix.toml:5"])
    #expect(found.first?.message.hasSuffix("also has the sockets of all apps and of the owners") == true)
  }

  @Test func `an app of root without a socket of its own is reported, unless the board is simulated`() throws {
    let found = try findings([("a", "uid = 0", [])])
    let simulated = boardText.replacing("receiver =", with: "simulated = true\nreceiver =")
    #expect(try findings([("a", "uid = 0", []), ("b", "uid = 0", [])], on: simulated).isEmpty)
    #expect(brief(found) == ["warning app-shared onefix.toml:3"])
    #expect(found.first?.message.contains("in containers without a user namespace") == true)
  }

  // MARK: Keys and certificates

  /// Returns the findings for the tables of listeners and of the apps a and b, each with its proofs of identity.
  private func findings(
    listeners: String, _ a: String, _ b: String = "uid = 7", on text: String = boardText
  ) throws -> [Finding] {
    let tables = "[[app]]\nid = \"a\"\n\(a)\n[[app]]\nid = \"b\"\n\(b)\n" + listeners
    return try subject(of: tables, [ListenFeature.self], on: text).configurationFindings
  }

  private static let plain = "[[listen]]\naddress = \"127.0.0.1:7447\"\n"
  private static let tls =
    "[[listen]]\naddress = \"0.0.0.0:7448\"\ncertificate = \"/s.pem\"\nprivate_key = \"/s.key\"\n"
  private static let mutual = tls + "client_ca = \"/apps.pem\"\n"
  private static let certificate = "certificate = \"sha256:\(String(repeating: "ab", count: 32))\""

  @Test(arguments: [boardText, boardText.replacing("receiver =", with: "simulated = true\nreceiver =")])
  func `a key or a certificate of an app that no listener asks for is reported`(text: String) throws {
    let socket = "[[listen]]\nsocket = \"/run/onefix/b/s\"\napp = \"b\"\n"
    for (listeners, isUsed) in [("", false), (socket, false), (Self.plain, true), (Self.tls, true)] {
      let found = try findings(listeners: listeners, "uid = 8\nkey = true", on: text)
      #expect(brief(found) == (isUsed ? [] : ["warning key-unused onefix.toml:4"]), "\(listeners)")
      #expect(found.allSatisfy { $0.message.contains("app 'a'") && $0.remedy?.contains("127.0.0.1:7447") == true })
      #expect(try findings(listeners: listeners, "uid = 8\nkey = false", on: text).isEmpty)
    }
    for (listeners, isUsed) in [
      ("", false), (socket, false), (Self.plain, false), (Self.tls, false), (Self.plain + Self.mutual, true),
    ] {
      let found = try findings(listeners: listeners, Self.certificate, on: text)
      #expect(brief(found) == (isUsed ? [] : ["warning certificate-unused onefix.toml:3"]), "\(listeners)")
      #expect(found.allSatisfy { $0.message.contains("app 'a'") && $0.remedy?.contains("'client_ca'") == true })
    }
  }

  @Test func `two apps with one certificate are reported, in any spelling of its fingerprint`() throws {
    for digits in [String(repeating: "ab", count: 32), String(repeating: "AB:", count: 32)] {
      let found = try findings(listeners: Self.mutual, Self.certificate, "certificate = \"sha256:\(digits)\"")
      #expect(brief(found) == ["warning app-shared onefix.toml:6"])
      #expect(found.first?.message.hasPrefix("apps 'a' and 'b' have one certificate: ") == true)
      #expect(found.first?.remedy?.hasPrefix("give each app a certificate of its own") == true)
    }
    let other = "certificate = \"sha256:\(String(repeating: "cd", count: 32))\""
    #expect(try findings(listeners: Self.mutual, Self.certificate, other).isEmpty)
  }
}
