import Configuration
import Testing

@testable import MachineChecks

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
  let configuration = try GatewayConfiguration(parsing: Array(text.utf8), file: "onefix.toml")
  return Subject(board: try board(), listeners: configuration.listeners)
}

/// A machine whose listeners have no findings.
func machineWithListener(_ change: (inout Machine) -> Void = { _ in }) -> Machine {
  machine {
    for (name, mode) in [("server.pem", 0o644), ("server.key", 0o640), ("apps.pem", 0o644)] as [(String, UInt32)] {
      let path = "/etc/onefix/\(name)"
      $0.files[path] = DeviceFile(path: path, kind: .other, owner: 0, group: 980, mode: mode)
    }
    change(&$0)
  }
}

/// A change of the machine and the resulting findings.
let listenFaults: [(@Sendable (inout Machine) -> Void, [String])] = [
  ({ _ in }, []),
  ({ $0.files["/etc/onefix/server.pem"] = nil }, ["error listen-file onefix.toml:5"]),
  ({ $0.files["/etc/onefix/server.key"] = nil }, ["error listen-file onefix.toml:6"]),
  ({ $0.files["/etc/onefix/apps.pem"] = nil }, ["error listen-file onefix.toml:7"]),
  ({ $0.files["/etc/onefix/server.key"]?.mode = 0o600 }, ["error listen-file onefix.toml:6"]),
  ({ $0.files["/etc/onefix/server.key"]?.group = 0 }, ["error listen-file onefix.toml:6"]),
  ({ $0.files["/etc/onefix/server.key"]?.mode = 0o644 }, ["warning listen-key-open onefix.toml:6"]),
  ({ $0.files["/etc/onefix/server.key"]?.mode = 0o642 }, ["warning listen-key-open onefix.toml:6"]),
]

@Suite struct ListenCheckTests {
  @Test(arguments: listenFaults)
  func `certificates and keys must exist and be readable, and a private key must not be readable by everyone`(
    change: @Sendable (inout Machine) -> Void, found: [String]
  ) throws {
    #expect(brief(try listenSubject().findings(on: machineWithListener(change))) == found)
  }

  @Test func `the remedy for a file that the daemon cannot read gives it to no group`() throws {
    let closed = machineWithListener { $0.files["/etc/onefix/server.key"]?.mode = 0o600 }
    let remedy = try #require(try listenSubject().findings(on: closed).first?.remedy)
    #expect(remedy == "give the file to that user alone: chown onefix, chmod 600")
  }

  @Test func `a private key that everyone can read is a warning at the start and does not prevent it`() throws {
    let open = machineWithListener { $0.files["/etc/onefix/server.key"]?.mode = 0o644 }
    #expect(try listenSubject().warnings(on: open).map(\.code).contains(.listenKeyOpen))
    #expect(try listenSubject().refusals(on: open).isEmpty)
  }
}
