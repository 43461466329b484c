import Testing

@testable import Features

/// The tables of ports of the app `ferry`: the first port is in line 5, the next in line 8, and so on.
func portTables(_ paths: [String]) -> String {
  let tables = paths.map { "[[serial]]\nport = \"\($0)\"\napp = \"ferry\"\n" }.joined()
  return "[[app]]\nid = \"ferry\"\nuid = 1000\n" + tables
}

func subject(serial paths: [String], receiver: String = "uart:/dev/serial0") throws -> Subject {
  try subject(of: portTables(paths), [SerialFeature.self], receiver: receiver)
}

/// A machine whose app ports have no findings.
func machineWithPorts(_ change: (inout Machine) -> Void = { _ in }) -> Machine {
  machine {
    $0.files["/dev/ttyGS0"] = DeviceFile(path: "/dev/ttyGS0", group: 20, mode: 0o660)
    $0.ports["/dev/ttyGS0"] = Machine.SerialPort()
    change(&$0)
  }
}

/// A change of the machine, the resulting findings, and whether the daemon starts.
let serialFaults: [(@Sendable (inout Machine) -> Void, String, Bool)] = [
  ({ $0.ports["/dev/ttyGS0"]?.isConsole = true }, "error serial-kernel onefix.toml:5", true),
  ({ $0.ports["/dev/ttyGS0"]?.login = "agetty, pid 42," }, "error serial-login onefix.toml:5", true),
  ({ $0.ports["/dev/ttyGS0"]?.bluetooth = "btattach" }, "error serial-bluetooth onefix.toml:5", false),
  ({ $0.ports["/dev/ttyGS0"]?.holders = [minicom] }, "error serial-busy onefix.toml:5", false),
  ({ $0.ports["/dev/ttyGS0"]?.holders = [onefixd] }, "note serial-held onefix.toml:5", false),
  ({ $0.files["/dev/ttyGS0"] = nil }, "warning serial-absent onefix.toml:5", false),
  ({ $0.files["/dev/ttyGS0"]?.kind = .other }, "error serial-unsuitable onefix.toml:5", true),
  ({ $0.files["/dev/ttyGS0"]?.group = 0 }, "error serial-denied onefix.toml:5", false),
  ({ $0.files["/dev/ttyGS0"]?.path = "/dev/ttyAMA0" }, "error serial-taken onefix.toml:5", true),
]

@Suite struct SerialChecksTests {
  @Test func `a separate port is a valid app port`() throws {
    #expect(try subject(serial: ["/dev/ttyGS0"]).findings(on: machineWithPorts()) == [])
  }

  @Test(arguments: serialFaults)
  func `each fault is reported at its line, and keeps the port closed if others could listen`(
    change: @Sendable (inout Machine) -> Void, finding: String, isRefused: Bool
  ) throws {
    let subject = try subject(serial: ["/dev/ttyGS0"])
    let machine = machineWithPorts(change)
    #expect(brief(subject.findings(on: machine)) == [finding])
    #expect(brief(subject.closedPorts(on: machine)) == (isRefused ? [finding] : []))
    let found = subject.findings(on: machine)[0]
    #expect(found.message.hasPrefix("app ferry: "))
    #expect(found.severity == .note || found.remedy?.isEmpty == false)
  }

  @Test func `the receiver's port cannot be an app's port, even before the port exists`() throws {
    let absent = try subject(serial: ["/dev/ttyUSB7"], receiver: "uart:/dev/ttyUSB7")
    #expect(absent.closedPorts(on: machine()).map(\.code) == ["serial-taken"])
  }

  @Test func `one port cannot belong to two apps, under any name`() throws {
    let machine = machineWithPorts {
      $0.files["/dev/cable"] = DeviceFile(path: "/dev/ttyGS0", group: 20, mode: 0o660)
    }
    let subject = try subject(serial: ["/dev/ttyGS0", "/dev/cable"])
    #expect(brief(subject.closedPorts(on: machine)) == ["error serial-taken onefix.toml:8"])
  }

  @Test(arguments: [(0, 0o660), (22, 0o660), (980, 0o600)] as [(UInt32, UInt32)])
  func `the port of an app belongs to the daemon's user, and to no group`(group: UInt32, mode: UInt32) throws {
    let subject = try subject(serial: ["/dev/ttyGS0"])
    let machine = machineWithPorts {
      $0.files["/dev/ttyGS0"] = DeviceFile(path: "/dev/ttyGS0", group: group, mode: mode)
    }
    let rule = #"KERNEL=="ttyGS0", SUBSYSTEM=="tty", OWNER:="onefix", GROUP:="root", MODE:="0600""#
    let found = subject.findings(on: machine)
    #expect(found.map(\.code) == ["serial-denied"] && found.first?.remedy?.contains(rule) == true)
    let lines = RepairScript(found, for: subject, on: machine).lines.filter { $0.hasPrefix("add '") }
    #expect(lines.count == 1 && lines.first?.contains(rule) == true)
  }
}
