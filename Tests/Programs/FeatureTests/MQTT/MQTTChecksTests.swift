import Testing

@testable import Features

func brokerSubject() throws -> Subject {
  let text = """
    [[mqtt]]
    broker = "mqtts://192.0.2.1"
    app = "ferry"
    username = "boat"
    password_file = "/etc/onefix/mqtt"
    ca = "/etc/onefix/ca.pem"
    certificate = "/etc/onefix/boat.pem"
    key = "/etc/onefix/boat.key"
    [[app]]
    id = "ferry"
    """
  return try subject(of: text, [MQTTFeature.self])
}

/// A machine whose broker files have no findings.
func machineWithBroker(_ change: (inout Machine) -> Void = { _ in }) -> Machine {
  machine {
    for (name, owner, mode) in [
      ("mqtt", 990, 0o600), ("ca.pem", 0, 0o644), ("boat.pem", 0, 0o644), ("boat.key", 990, 0o600),
    ] as [(String, UInt32, UInt32)] {
      let path = "/etc/onefix/\(name)"
      $0.files[path] = DeviceFile(path: path, kind: .other, owner: owner, group: 980, mode: mode)
    }
    change(&$0)
  }
}

/// A private key of root that the group of all apps can read.
private let sharedKey = DeviceFile(path: "/etc/onefix/boat.key", kind: .other, owner: 0, group: 980, mode: 0o640)

/// A change of the machine and the resulting findings.
let brokerFaults: [(@Sendable (inout Machine) -> Void, [String])] = [
  ({ _ in }, []),
  ({ $0.files["/etc/onefix/mqtt"] = nil }, ["error mqtt-file onefix.toml:5"]),
  ({ $0.files["/etc/onefix/ca.pem"] = nil }, ["error mqtt-file onefix.toml:6"]),
  ({ $0.files["/etc/onefix/boat.pem"]?.mode = 0o600 }, ["error mqtt-file onefix.toml:7"]),
  ({ $0.files["/etc/onefix/boat.key"]?.owner = 0 }, ["error mqtt-file onefix.toml:8"]),
  ({ $0.files["/etc/onefix/mqtt"]?.mode = 0o644 }, ["warning mqtt-secret-open onefix.toml:5"]),
  ({ $0.files["/etc/onefix/boat.key"]?.mode = 0o642 }, ["warning mqtt-secret-open onefix.toml:8"]),
  ({ $0.files["/etc/onefix/mqtt"]?.mode = 0o640 }, ["warning mqtt-secret-open onefix.toml:5"]),
  ({ $0.files["/etc/onefix/boat.key"] = sharedKey }, ["warning mqtt-secret-open onefix.toml:8"]),
]

@Suite struct MQTTChecksTests {
  @Test(arguments: brokerFaults)
  func `a broker's files must exist and be readable, and its secrets must not be open to other users`(
    change: @Sendable (inout Machine) -> Void, found: [String]
  ) throws {
    #expect(brief(try brokerSubject().findings(on: machineWithBroker(change))) == found)
  }

  @Test func `an output that gets a fix by each press has a note that names the buttons`() throws {
    let text = """
      [[mqtt]]
      broker = "mqtt://127.0.0.1"
      app = "ferry"
      on_press = true
      [[app]]
      id = "ferry"
      """
    let found = try subject(of: text, [MQTTFeature.self]).findings(on: machine()).filter { $0.code == "each-press" }
    #expect(brief(found) == ["note each-press onefix.toml:4"])
    #expect(
      found.map(\.message) == [
        "each press of button main sends the location to the broker 127.0.0.1:1883 for the app ferry, unless another app waits"
      ])
  }

  @Test func `the remedy for a file that the daemon cannot read gives it to no group`() throws {
    let closed = machineWithBroker { $0.files["/etc/onefix/boat.key"]?.owner = 0 }
    let remedy = try #require(try brokerSubject().findings(on: closed).first?.remedy)
    #expect(remedy == "give the file to that user alone: chown onefix, chmod 600")
  }

  @Test func `the remedy for a secret that the apps can read gives it to the daemon's user alone`() throws {
    let open = machineWithBroker { $0.files["/etc/onefix/mqtt"]?.mode = 0o640 }
    let finding = try #require(try brokerSubject().findings(on: open).first)
    #expect(finding.message == "the broker: other users can read or write the secret in /etc/onefix/mqtt")
    #expect(finding.remedy?.hasPrefix("chown onefix /etc/onefix/mqtt; chmod 600 /etc/onefix/mqtt; ") == true)
  }

  @Test func `a secret that other users can read is a warning at the start and does not prevent it`() throws {
    let open = machineWithBroker { $0.files["/etc/onefix/boat.key"]?.mode = 0o644 }
    #expect(try brokerSubject().warnings(on: open).map(\.code).contains("mqtt-secret-open"))
    #expect(try brokerSubject().refusals(on: open).isEmpty)
  }
}
