import Testing

@testable import Features

func listenSubject() throws -> Subject {
  let text = """
    [[listen]]
    address = "127.0.0.1:7447"
    [[listen]]
    address = "0.0.0.0:7448"
    certificate = "/etc/onefix/server.pem"
    private_key = "/etc/onefix/server.key"
    client_ca = "/etc/onefix/apps.pem"
    """
  return try subject(of: text, [ListenFeature.self])
}

/// A machine whose listeners have no findings.
func machineWithListener(_ change: (inout Machine) -> Void = { _ in }) -> Machine {
  machine {
    for (name, owner, mode) in [("server.pem", 0, 0o644), ("server.key", 990, 0o600), ("apps.pem", 0, 0o644)]
      as [(String, UInt32, UInt32)]
    {
      let path = "/etc/onefix/\(name)"
      $0.files[path] = DeviceFile(path: path, kind: .other, owner: owner, group: 980, mode: mode)
    }
    change(&$0)
  }
}

/// A private key of root that the group of all apps can read.
private let sharedKey = DeviceFile(path: "/etc/onefix/server.key", kind: .other, owner: 0, group: 980, mode: 0o640)

/// A change of the machine and the resulting findings.
let listenFaults: [(@Sendable (inout Machine) -> Void, [String])] = [
  ({ _ in }, []),
  ({ $0.files["/etc/onefix/server.pem"] = nil }, ["error listen-file onefix.toml:5"]),
  ({ $0.files["/etc/onefix/server.key"] = nil }, ["error listen-file onefix.toml:6"]),
  ({ $0.files["/etc/onefix/apps.pem"] = nil }, ["error listen-file onefix.toml:7"]),
  ({ $0.files["/etc/onefix/server.key"]?.owner = 0 }, ["error listen-file onefix.toml:6"]),
  ({ $0.files["/etc/onefix/server.key"]?.mode = 0o644 }, ["warning listen-key-open onefix.toml:6"]),
  ({ $0.files["/etc/onefix/server.key"]?.mode = 0o642 }, ["warning listen-key-open onefix.toml:6"]),
  ({ $0.files["/etc/onefix/server.key"]?.mode = 0o640 }, ["warning listen-key-open onefix.toml:6"]),
  ({ $0.files["/etc/onefix/server.key"] = sharedKey }, ["warning listen-key-open onefix.toml:6"]),
]

@Suite struct ListenChecksTests {
  @Test(arguments: listenFaults)
  func `certificates and keys must exist and be readable, and a private key must not be open to other users`(
    change: @Sendable (inout Machine) -> Void, found: [String]
  ) throws {
    #expect(brief(try listenSubject().findings(on: machineWithListener(change))) == found)
  }

  @Test func `the remedy for a file that the daemon cannot read gives it to no group`() throws {
    let closed = machineWithListener { $0.files["/etc/onefix/server.key"]?.owner = 0 }
    let remedy = try #require(try listenSubject().findings(on: closed).first?.remedy)
    #expect(remedy == "give the file to that user alone: chown onefix, chmod 600")
  }

  @Test func `the remedy for a private key that the apps can read gives it to the daemon's user alone`() throws {
    let open = machineWithListener { $0.files["/etc/onefix/server.key"]?.mode = 0o640 }
    let finding = try #require(try listenSubject().findings(on: open).first)
    #expect(finding.message == "the listener: other users can read or write the private key /etc/onefix/server.key")
    #expect(
      finding.remedy?.hasPrefix("chown onefix /etc/onefix/server.key; chmod 600 /etc/onefix/server.key; ") == true)
  }

  @Test func `a private key that other users can read is a warning at the start and does not prevent it`() throws {
    let open = machineWithListener { $0.files["/etc/onefix/server.key"]?.mode = 0o644 }
    #expect(try listenSubject().warnings(on: open).map(\.code).contains("listen-key-open"))
    #expect(try listenSubject().refusals(on: open).isEmpty)
  }
}
