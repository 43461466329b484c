import Configuration
import Testing

@testable import Features

let minicom = Machine.Process(pid: 9, name: "minicom")
let onefixd = Machine.Process(pid: 9, name: "onefixd")

/// The table of a console, which begins in the first line of the configuration.
func console(port: String = "/dev/ttyS1", pinFile: String? = "/etc/onefix/console.pin") -> String {
  let pin = pinFile.map { "pin_file = \"\($0)\"" } ?? ""
  return "[console]\nport = \"\(port)\"\n\(pin)\n"
}

func subject(
  console: String, receiver: String = "uart:/dev/serial0", protocolPorts: [String] = []
) throws -> Subject {
  try subject(
    of: console + portTables(protocolPorts), [ConsoleFeature.self, SerialFeature.self], receiver: receiver)
}

/// A machine whose console has no findings.
func machineWithConsole(_ change: (inout Machine) -> Void = { _ in }) -> Machine {
  machine {
    $0.files["/dev/ttyS1"] = DeviceFile(path: "/dev/ttyS1", group: 20, mode: 0o660)
    $0.ports["/dev/ttyS1"] = Machine.SerialPort()
    $0.files["/etc/onefix/console.pin"] = DeviceFile(
      path: "/etc/onefix/console.pin", kind: .other, owner: 990, group: 980, mode: 0o600)
    change(&$0)
  }
}

/// A change of the machine, the resulting findings, and whether the daemon starts.
let consoleFaults: [(@Sendable (inout Machine) -> Void, String, Bool)] = [
  ({ $0.ports["/dev/ttyS1"]?.isConsole = true }, "error console-kernel onefix.toml:2", true),
  ({ $0.ports["/dev/ttyS1"]?.login = "agetty, pid 42," }, "error console-login onefix.toml:2", true),
  ({ $0.ports["/dev/ttyS1"]?.bluetooth = "btattach" }, "error console-bluetooth onefix.toml:2", false),
  ({ $0.ports["/dev/ttyS1"]?.holders = [minicom] }, "error console-busy onefix.toml:2", false),
  ({ $0.ports["/dev/ttyS1"]?.holders = [onefixd] }, "note console-held onefix.toml:2", false),
  ({ $0.files["/dev/ttyS1"] = nil }, "warning console-absent onefix.toml:2", false),
  ({ $0.files["/dev/ttyS1"]?.kind = .other }, "error console-unsuitable onefix.toml:2", true),
  ({ $0.files["/dev/ttyS1"]?.group = 0 }, "error console-denied onefix.toml:2", false),
  ({ $0.files["/dev/ttyS1"]?.path = "/dev/ttyAMA0" }, "error console-taken onefix.toml:2", true),
  ({ $0.files["/etc/onefix/console.pin"] = nil }, "error console-pin onefix.toml:3", true),
  ({ $0.files["/etc/onefix/console.pin"]?.mode = 0o640 }, "error console-pin onefix.toml:3", true),
  ({ $0.files["/etc/onefix/console.pin"]?.owner = 0 }, "error console-pin onefix.toml:3", true),
]

@Suite struct ConsoleChecksTests {
  @Test func `a separate port with a PIN is a valid console, also on a simulated board`() throws {
    #expect(try subject(console: console()).findings(on: machineWithConsole()) == [])
    var simulated = try subject(console: console(), receiver: "simulated")
    simulated.board.isSimulated = true
    #expect(simulated.findings(on: machineWithConsole()) == [])
    let kernel = machineWithConsole { $0.ports["/dev/ttyS1"]?.isConsole = true }
    #expect(simulated.findings(on: kernel).map(\.code) == ["console-kernel"])
  }

  @Test(arguments: consoleFaults)
  func `each fault is reported at its line, and keeps the port closed if others could use the console`(
    change: @Sendable (inout Machine) -> Void, finding: String, isRefused: Bool
  ) throws {
    let subject = try subject(console: console())
    let machine = machineWithConsole(change)
    #expect(brief(subject.findings(on: machine)) == [finding])
    #expect(brief(subject.closedPorts(on: machine)) == (isRefused ? [finding] : []))
    let found = subject.findings(on: machine)[0]
    #expect(found.message.hasPrefix("the console: "))
    #expect(found.severity == .note || found.remedy?.isEmpty == false)
  }

  @Test func `the receiver's port cannot be the console, even before the port exists`() throws {
    let absent = try subject(console: console(port: "/dev/ttyUSB7"), receiver: "uart:/dev/ttyUSB7")
    #expect(absent.closedPorts(on: machineWithConsole()).map(\.code) == ["console-taken"])
  }

  @Test func `an app's port cannot be the console, under any name`() throws {
    for path in ["/dev/ttyS1", "/dev/serial/by-id/cable"] {
      let taken = try subject(console: console(), protocolPorts: ["/dev/ttyS5", path])
      let machine = machineWithConsole {
        $0.files["/dev/serial/by-id/cable"] = DeviceFile(path: "/dev/ttyS1", group: 20, mode: 0o660)
      }
      #expect(brief(taken.closedPorts(on: machine)) == ["error console-taken onefix.toml:2"])
    }
    let apart = machineWithConsole { $0.files["/dev/ttyS5"] = DeviceFile(path: "/dev/ttyS5", group: 20, mode: 0o660) }
    #expect(try subject(console: console(), protocolPorts: ["/dev/ttyS5"]).findings(on: apart) == [])
  }

  @Test(arguments: [
    ("/dev/pts/7", UInt32(990), false), ("/dev/pts/7", 0, false), ("/dev/pts/7", 1000, true),
    ("/dev/ttyS1", 990, true), ("/dev/ttyGS0", 0, true),
  ])
  func `only a terminal of the daemon's user or of root can be a console without a PIN`(
    device: String, owner: UInt32, isRefused: Bool
  ) throws {
    let subject = try subject(console: console(port: "/run/onefix/console", pinFile: nil))
    let machine = machineWithConsole {
      $0.files["/run/onefix/console"] = DeviceFile(path: device, owner: owner, mode: 0o666)
    }
    #expect(brief(subject.closedPorts(on: machine)) == (isRefused ? ["error console-pin onefix.toml:1"] : []))
    // An absent port can become any kind of device.
    #expect(subject.closedPorts(on: machineWithConsole()).map(\.code) == ["console-pin"])
  }

  @Test func `the checks read the port and the PIN`() throws {
    let objects = try subject(console: console(), protocolPorts: ["/dev/ttyS2"]).features.flatMap(\.objects)
    #expect(objects == [.port("/dev/ttyS1"), .file("/etc/onefix/console.pin"), .port("/dev/ttyS2")])
  }

  @Test func `the other end of a pseudo-terminal is not a second reader`() throws {
    let subject = try subject(console: console(port: "/dev/pts/7", pinFile: nil))
    let machine = machineWithConsole {
      $0.files["/dev/pts/7"] = DeviceFile(path: "/dev/pts/7", owner: 990, mode: 0o620)
      $0.ports["/dev/pts/7", default: .init()].holders = [.init(pid: 9, name: "socat")]
    }
    #expect(subject.findings(on: machine) == [])
  }
}
