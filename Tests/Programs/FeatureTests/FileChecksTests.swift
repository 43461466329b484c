import Base
import Configuration
import TemporaryFiles
import Testing

@testable import Features

/// A certificate that is valid until 2026-11-21T07:31:34Z.
private let certificate = """
  -----BEGIN CERTIFICATE-----
  MIIBBDCBrAIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARib2F0MB4XDTI1MDEw
  MTAwMDAwMFoXDTI2MTEyMTA3MzEzNFowDzENMAsGA1UEAwwEYm9hdDBZMBMGByqG
  SM49AgEGCCqGSM49AwEHA0IABFrqF6TaD2UOz8DoDpwoH2vTBjKKhK65LrYDlzl7
  0Fsrt9dD9N38YSHwjbuQ81CWCKom0fOMffgnNGo1NVViSDwwCgYIKoZIzj0EAwID
  RwAwRAIgFoPmZWbJ33T64rbGKli5x3yrv/glS1ScOJ0MV+S4TNwCIAQuypmihZDy
  Fuu7Uej4aqTjuQ+jg4Pl/0gv8Ut75pl6
  -----END CERTIFICATE-----

  """

/// The files and secrets of a broker, of a listener and of a web server.
@Suite struct FileChecksTests {
  /// An owner, and a mode.
  typealias Rights = (owner: UInt32, mode: UInt32)

  private func subject() throws -> Subject {
    let text = #"""
      [[app]] | id = "ferry" | [[mqtt]] | broker = "mqtts://192.0.2.1" | app = "ferry" | username = "boat" \#
      | password_file = "/etc/onefix/mqtt" | ca = "/etc/onefix/ca.pem" | certificate = "/etc/onefix/boat.pem" \#
      | key = "/etc/onefix/boat.key" | [[listen]] | address = "0.0.0.0:7448" | certificate = "/etc/onefix/server.pem" \#
      | private_key = "/etc/onefix/server.key" | client_ca = "/etc/onefix/apps.pem" | [[http]] \#
      | url = "https://m.example.org" | app = "ferry" | format = "json" | bearer_file = "/etc/onefix/token" \#
      | ca = "/etc/onefix/web.pem"
      """#.replacing(" | ", with: "\n")
    return try FeatureTests.subject(of: text, [MQTTFeature.self, ListenFeature.self, HTTPFeature.self])
  }

  /// A machine whose files have no findings, except for one with other rights; nil for an absent file.
  private func machine(_ name: String = "", _ rights: Rights? = nil) -> Machine {
    FeatureTests.machine {
      let secrets = ["mqtt", "boat.key", "server.key", "token"].map { ($0, (990, 0o600) as Rights?) }
      let others = ["ca.pem", "boat.pem", "server.pem", "apps.pem", "web.pem"].map { ($0, (0, 0o644) as Rights?) }
      for (file, usual) in secrets + others {
        guard let (owner, mode) = file == name ? rights : usual else { continue }
        let path = "/etc/onefix/\(file)"
        // The group 980 is the group of all apps.
        $0.files[path] = DeviceFile(path: path, kind: .other, owner: owner, group: 980, mode: mode)
      }
    }
  }

  /// The findings about the files.
  private func findings(on machine: Machine) throws -> [Finding] {
    try subject().findings(on: machine).filter { $0.code != "each-press" }
  }

  @Test(
    arguments: [
      // All files have their usual rights.
      ("", nil, ""), ("mqtt", nil, "error mqtt-file onefix.toml:7"), ("ca.pem", nil, "error mqtt-file onefix.toml:8"),
      ("boat.pem", (0, 0o600), "error mqtt-file onefix.toml:9"),
      ("boat.key", (0, 0o600), "error mqtt-file onefix.toml:10"),
      ("mqtt", (990, 0o644), "warning mqtt-secret-open onefix.toml:7"),
      ("boat.key", (990, 0o642), "warning mqtt-secret-open onefix.toml:10"),
      ("mqtt", (990, 0o640), "warning mqtt-secret-open onefix.toml:7"),
      ("boat.key", (0, 0o640), "warning mqtt-secret-open onefix.toml:10"),
      ("server.pem", nil, "error listen-file onefix.toml:13"), ("server.key", nil, "error listen-file onefix.toml:14"),
      ("apps.pem", nil, "error listen-file onefix.toml:15"),
      ("server.key", (0, 0o600), "error listen-file onefix.toml:14"),
      ("server.key", (990, 0o640), "warning listen-key-open onefix.toml:14"),
      ("token", nil, "error http-file onefix.toml:20"), ("web.pem", nil, "error http-file onefix.toml:21"),
      ("token", (990, 0o640), "warning http-secret-open onefix.toml:20"),
    ] as [(String, Rights?, String)])
  func `files must exist and be readable, and secrets must not be open to other users`(
    file: String, rights: Rights?, finding: String
  ) throws {
    #expect(brief(try findings(on: machine(file, rights))) == (finding.isEmpty ? [] : [finding]))
  }

  @Test(arguments: [
    ("mqtt", "mqtt-secret-open", "the broker: other users can read or write the secret in /etc/onefix/mqtt"),
    (
      "server.key", "listen-key-open",
      "the listener: other users can read or write the private key /etc/onefix/server.key"
    ),
  ])
  func `the remedy gives a secret to the daemon's user alone, and an open secret does not prevent the start`(
    file: String, code: String, message: String
  ) throws {
    let subject = try subject()
    let closed = try #require(try findings(on: machine(file, (0, 0o600))).first?.remedy)
    #expect(closed == "give the file to that user alone: chown onefix, chmod 600")
    let machine = machine(file, (990, 0o644))
    let finding = try #require(try findings(on: machine).first)
    #expect(finding.message == message)
    let path = "/etc/onefix/\(file)"
    #expect(finding.remedy?.hasPrefix("chown onefix \(path); chmod 600 \(path); ") == true)
    #expect(subject.warnings(on: machine).map(\.code).contains(code) && subject.refusals(on: machine).isEmpty)
  }

  @Test func `the content of a file is a fault only if the file can be read`() {
    let (faults, location) = (FileFaults("mqtt-file", open: "mqtt-secret-open"), ConfigurationLocation(file: "a"))
    for (path, codes) in [("/onefix-nowhere", []), ("/proc/self/stat", ["mqtt-file"])] {
      let found = faults.contentFinding(path, key: "ca", cause: "no PEM", of: "the broker", at: location)
      #expect([found].compactMap(\.?.code) == codes)
    }
  }

  @Test(arguments: [("2026-11-21T07:31:34Z", false), ("2026-11-21T07:31:35Z", true)])
  func `a certificate is valid until the end of its last second`(time: String, hasExpired: Bool) throws {
    let folder = try TemporaryDirectory()
    try folder.write(certificate, to: "boat.pem")
    let finding = FileFaults("mqtt-file", open: "mqtt-secret-open").expiryFinding(
      folder.path("boat.pem"), of: "the broker", at: ConfigurationLocation(file: "a"),
      now: try #require(UTCTime(iso8601: time)))
    #expect((finding != nil) == hasExpired)
  }

  @Test(arguments: [
    ("[[mqtt]]\nbroker = \"mqtt://127.0.0.1\"\napp = \"ferry\"\non_press = true", 6, "the broker 127.0.0.1:1883"),
    (
      "[[http]]\nurl = \"https://m.example.org/?key=SECRET\"\napp = \"ferry\"\nformat = \"json\"", 4,
      "https://m.example.org"
    ),
    ("[[file]]\npath = \"/srv/p\"\napp = \"ferry\"\nformat = \"gpx\"", 4, "the file /srv/p"),
  ])
  func `an output that gets a fix by each press has a note that names the buttons`(
    table: String, line: Int, output: String
  ) throws {
    let subject = try FeatureTests.subject(of: "[[app]]\nid = \"ferry\"\n" + table, featureTypes)
    let found = subject.findings(on: FeatureTests.machine()).filter { $0.code == "each-press" }
    #expect(brief(found) == ["note each-press onefix.toml:\(line)"])
    let message =
      "each press of button main sends the location to \(output) for the app ferry, unless another app waits"
    #expect(found.map(\.message) == [message])
  }
}
