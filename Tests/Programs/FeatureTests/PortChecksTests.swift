import Configuration
import Testing

@testable import Features

private let pin = "/etc/onefix/console.pin"

/// The table of a console, which begins in the first line of the configuration.
private func console(port: String = "/dev/ttyS1", pinFile: String? = pin) -> String {
  "[console]\nport = \"\(port)\"\n\(pinFile.map { "pin_file = \"\($0)\"" } ?? "")\n"
}

/// - Parameter ports: the ports of the app `ferry`. Without a console, the first port is in line 5, the next in line 8.
private func subject(
  console: String = "", ports: [String] = [], receiver: String = "uart:/dev/serial0"
) throws -> Subject {
  let tables = ports.map { "[[serial]]\nport = \"\($0)\"\napp = \"ferry\"\n" }.joined()
  let text = console + "[[app]]\nid = \"ferry\"\nuid = 1000\n" + tables
  return try subject(of: text, [ConsoleFeature.self, SerialFeature.self], receiver: receiver)
}

/// A machine whose console and whose app port have no findings.
private func machineWithPorts(_ change: (inout Machine) -> Void = { _ in }) -> Machine {
  machine {
    for path in ["/dev/ttyS1", "/dev/ttyGS0"] {
      $0.files[path] = DeviceFile(path: path, group: 20, mode: 0o660)
      $0.ports[path] = Machine.SerialPort()
    }
    $0.files[pin] = DeviceFile(path: pin, kind: .other, owner: 990, group: 980, mode: 0o600)
    change(&$0)
  }
}

/// A change of a port, the severity and the end of the code of the finding, and whether the port stays closed.
private let portFaults: [(@Sendable (inout Machine, String) -> Void, String, Bool)] = [
  ({ $0.ports[$1]?.isConsole = true }, "error kernel", true),
  ({ $0.ports[$1]?.login = "agetty, pid 42," }, "error login", true),
  ({ $0.ports[$1]?.bluetooth = "btattach" }, "error bluetooth", false),
  ({ $0.ports[$1]?.holders = [Machine.Process(pid: 9, name: "minicom")] }, "error busy", false),
  ({ $0.ports[$1]?.holders = [Machine.Process(pid: 9, name: "onefixd")] }, "note held", false),
  ({ $0.files[$1] = nil }, "warning absent", false), ({ $0.files[$1]?.kind = .other }, "error unsuitable", true),
  ({ $0.files[$1]?.group = 0 }, "error denied", false),
  ({ $0.files[$1]?.path = "/dev/ttyAMA0" }, "error taken", true),
]

/// The serial ports of the console and of apps.
@Suite struct PortChecksTests {
  @Test func `a separate port with a PIN is a valid console, also on a simulated board, or a valid app port`() throws {
    #expect(try subject(ports: ["/dev/ttyGS0"]).findings(on: machineWithPorts()) == [])
    #expect(try subject(console: console(), ports: ["/dev/ttyGS0"]).findings(on: machineWithPorts()) == [])
    var simulated = try subject(console: console(), receiver: "simulated")
    simulated.board.isSimulated = true
    #expect(simulated.findings(on: machineWithPorts()) == [])
    let kernel = machineWithPorts { $0.ports["/dev/ttyS1"]?.isConsole = true }
    #expect(simulated.findings(on: kernel).map(\.code) == ["console-kernel"])
  }

  @Test(arguments: portFaults.indices, [true, false])
  func `each fault of a port is reported at its line, and keeps the port closed if others could use the port`(
    number: Int, isConsole: Bool
  ) throws {
    let (change, end, isRefused) = portFaults[number]
    let path = isConsole ? "/dev/ttyS1" : "/dev/ttyGS0"
    let machine = machineWithPorts { change(&$0, path) }
    let subject = try subject(console: isConsole ? console() : "", ports: isConsole ? [] : [path])
    let code = end.replacing(" ", with: isConsole ? " console-" : " serial-")
    let (found, expected) = (subject.findings(on: machine), ["\(code) onefix.toml:\(isConsole ? 2 : 5)"])
    #expect(brief(found) == expected)
    #expect(brief(subject.closedPorts(on: machine)) == (isRefused ? expected : []))
    #expect(found.first?.message.hasPrefix(isConsole ? "the console: " : "app ferry: ") == true)
    #expect(found.first?.severity == .note || found.first?.remedy?.isEmpty == false)
  }

  @Test(arguments: [
    nil, DeviceFile(path: pin, kind: .other, owner: 990, mode: 0o640),
    DeviceFile(path: pin, kind: .other, owner: 0, mode: 0o600),
  ])
  func `a PIN that does not exist, or that others can read, or the daemon cannot, closes the console`(file: DeviceFile?)
    throws
  {
    let machine = machineWithPorts { $0.files[pin] = file }
    let subject = try subject(console: console())
    #expect(brief(subject.findings(on: machine)) == ["error console-pin onefix.toml:3"])
    #expect(brief(subject.closedPorts(on: machine)) == ["error console-pin onefix.toml:3"])
  }

  @Test func `the receiver's port can be neither the console nor an app's port, even before the port exists`() throws {
    let owners = try subject(console: console(port: "/dev/ttyUSB7"), receiver: "uart:/dev/ttyUSB7")
    #expect(owners.closedPorts(on: machineWithPorts()).map(\.code) == ["console-taken"])
    let app = try subject(ports: ["/dev/ttyUSB7"], receiver: "uart:/dev/ttyUSB7")
    #expect(app.closedPorts(on: machineWithPorts()).map(\.code) == ["serial-taken"])
  }

  @Test func `an app's port can be neither the console nor the port of another app, under any name`() throws {
    let cable = "/dev/serial/by-id/cable"
    for (device, text, ports, expected) in [
      ("/dev/ttyS1", console(), ["/dev/ttyGS0", "/dev/ttyS1"], "error console-taken onefix.toml:2"),
      ("/dev/ttyS1", console(), ["/dev/ttyGS0", cable], "error console-taken onefix.toml:2"),
      ("/dev/ttyGS0", "", ["/dev/ttyGS0", cable], "error serial-taken onefix.toml:8"),
    ] {
      let machine = machineWithPorts { $0.files[cable] = DeviceFile(path: device, group: 20, mode: 0o660) }
      #expect(brief(try subject(console: text, ports: ports).closedPorts(on: machine)) == [expected])
    }
  }

  @Test(arguments: [(0, 0o660), (22, 0o660), (980, 0o600)] as [(UInt32, UInt32)])
  func `the port of an app belongs to the daemon's user, and to no group`(group: UInt32, mode: UInt32) throws {
    let subject = try subject(ports: ["/dev/ttyGS0"])
    let machine = machineWithPorts {
      $0.files["/dev/ttyGS0"] = DeviceFile(path: "/dev/ttyGS0", group: group, mode: mode)
    }
    let rule = #"KERNEL=="ttyGS0", SUBSYSTEM=="tty", OWNER:="onefix", GROUP:="root", MODE:="0600""#
    let found = subject.findings(on: machine)
    #expect(found.map(\.code) == ["serial-denied"] && found.first?.remedy?.contains(rule) == true)
    let lines = RepairScript(found, for: subject, on: machine).lines.filter { $0.hasPrefix("add '") }
    #expect(lines.count == 1 && lines.first?.contains(rule) == true)
  }

  @Test(arguments: [
    ("/dev/pts/7", UInt32(990), false), ("/dev/pts/7", 0, false), ("/dev/pts/7", 1000, true),
    ("/dev/ttyS1", 990, true), ("/dev/ttyGS0", 0, true),
  ])
  func `only a terminal of the daemon's user or of root can be a console without a PIN, and has no second reader`(
    device: String, owner: UInt32, isRefused: Bool
  ) throws {
    let path = "/run/onefix/console"
    let subject = try subject(console: console(port: path, pinFile: nil))
    let machine = machineWithPorts {
      $0.files[path] = DeviceFile(path: device, owner: owner, mode: 0o666)
      $0.ports[path, default: .init()].holders = [.init(pid: 9, name: "socat")]
    }
    #expect(brief(subject.closedPorts(on: machine)) == (isRefused ? ["error console-pin onefix.toml:1"] : []))
    let isBusy = subject.findings(on: machine).contains { $0.code == "console-busy" }
    #expect(isBusy == !device.hasPrefix("/dev/pts/"))
    // An absent port can become any kind of device.
    #expect(subject.closedPorts(on: machineWithPorts()).map(\.code) == ["console-pin"])
  }

  @Test func `the checks read the ports and the PIN`() throws {
    let objects = try subject(console: console(), ports: ["/dev/ttyS2"]).features.flatMap(\.objects)
    #expect(objects == [.port("/dev/ttyS1"), .file(pin), .port("/dev/ttyS2")])
  }
}
