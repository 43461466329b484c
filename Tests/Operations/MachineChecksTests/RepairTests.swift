import Authorization
import Configuration
import Foundation
import TemporaryFiles
import Testing

@testable import MachineChecks

/// The script of `onefixd check --script`.
@Suite struct RepairTests {
  /// A board with an LED of the kernel.
  private static let withLED = """
    name = "test"
    receiver = "uart:/dev/serial0"
    [[button]]
    name = "main"
    chip = "pins"
    line = "BUTTON"
    [indicator]
    led = "ACT"
    """

  private func script(_ subject: Subject, _ machine: Machine) -> [String] {
    RepairScript(subject.configurationFindings + subject.findings(on: machine), for: subject, on: machine).lines
  }

  /// Returns the lines that change the machine.
  private func commands(_ subject: Subject, _ machine: Machine) -> [String] {
    script(subject, machine).filter { line in
      ["add '", "boot '", "join '", "modprobe '", "remove_console '", "systemctl mask"].contains { line.hasPrefix($0) }
    }
  }

  @Test func `a machine without findings is not changed`() throws {
    let lines = script(try subject(), machine())
    #expect(lines.contains("# No change is necessary that a script can make."))
    #expect(commands(try subject(), machine()).isEmpty)
  }

  @Test(arguments: [
    ("uart:/dev/serial0", #"KERNEL=="ttyAMA0", SUBSYSTEM=="tty""#, #", ENV{ID_MM_DEVICE_IGNORE}="1""#),
    ("i2c:/dev/i2c-1", #"KERNEL=="i2c-1", SUBSYSTEM=="i2c-dev""#, ""),
  ])
  func `the receiver belongs to the daemon alone, whether it was shared or closed`(
    receiver: String, match: String, ignored: String
  ) throws {
    let rule =
      "add '\(match), OWNER=\"onefix\", GROUP=\"root\", MODE=\"0600\"\(ignored)' /etc/udev/rules.d/90-onefix.rules"
    for mode: UInt32 in [0o666, 0o600] {
      let machine = machine {
        for path in ["/dev/serial0", "/dev/i2c-1"] {
          $0.files[path]?.owner = 0
          $0.files[path]?.mode = mode
        }
      }
      #expect(commands(try subject(receiver: receiver), machine) == [rule])
    }
    let allowed = try subject(receiver: receiver, allowsSharedReceiver: true)
    let shared = machine {
      $0.files["/dev/serial0"]?.mode = 0o666
      $0.files["/dev/i2c-1"]?.mode = 0o666
    }
    #expect(commands(allowed, shared).isEmpty)
  }

  @Test func `a user that is also an app's user gets no device and no group`() throws {
    let configuration = try GatewayConfiguration(
      parsing: Array("[[app]]\nid = \"plotter\"\nuid = 1000".utf8), file: "onefix.toml")
    var subject = try subject()
    subject.identities = configuration.identities
    let machine = machine {
      $0.user = Accounts.User(name: "pi", uid: 1000, gid: 1000)
      $0.files["/dev/gpiochip0"]?.group = 20
      $0.files["/dev/serial0"]?.group = 0
    }
    #expect(subject.findings(on: machine).map(\.code).contains(.gpioDenied))
    #expect(commands(subject, machine).isEmpty)
    let refusals = script(subject, machine).filter { $0.contains("because app plotter runs as this user") }
    #expect(refusals.count == 1 || refusals.count == 2)
    subject.identities = []
    #expect(commands(subject, machine).contains("join 'pi' 'dialout'"))
  }

  @Test func `only the daemon's user becomes a member of a group`() throws {
    let configuration = try GatewayConfiguration(
      parsing: Array("[[app]]\nid = \"plotter\"\nuid = 1000".utf8), file: "onefix.toml")
    var subject = try subject()
    subject.identities = configuration.identities
    let machine = machine { $0.files["/dev/gpiochip0"]?.group = 22 }
    #expect(commands(subject, machine) == ["join 'onefix' 'i2c'"])
    #expect(!script(subject, machine).joined().contains("pi'"))
  }

  @Test func `a finding that no script can remove is a comment with its remedy`() throws {
    let lines = script(try subject(), machine { $0.chips[0].lines[1].consumer = "evil\nreboot" })
    #expect(lines.contains { $0.hasPrefix("# ") && $0.contains("evil reboot") })
    #expect(lines.contains { $0.hasPrefix("# This script does not change it. Remedy: stop that program") })
    #expect(!lines.contains { $0.hasPrefix("reboot") })
  }

  @Test(arguments: [
    ("raspberry-pi-4", "uart:/dev/ttyAMA0", ["boot 'enable_uart=1'"]),
    ("raspberry-pi-5", "uart:/dev/ttyAMA0", ["boot 'dtparam=uart0=on'"]),
    ("uputronics-gps-hat", "uart:/dev/serial0", ["boot 'enable_uart=1'"]),
    ("raspberry-pi-4", "uart:/dev/ttyUSB0", []), ("generic", "uart:/dev/ttyAMA0", []),
    (
      "raspberry-pi-4", "i2c:/dev/i2c-1",
      ["boot 'dtparam=i2c_arm=on'", "add 'i2c-dev' /etc/modules-load.d/onefix.conf", "modprobe 'i2c-dev'"]
    ),
    ("generic", "i2c:/dev/i2c-1", ["add 'i2c-dev' /etc/modules-load.d/onefix.conf", "modprobe 'i2c-dev'"]),
  ])
  func `a missing port of a Raspberry Pi is enabled in its boot configuration`(
    board: String, receiver: String, expected: [String]
  ) throws {
    let absent = machine { for name in ["/dev/serial0", "/dev/i2c-1"] { $0.files[name] = nil } }
    #expect(commands(try subject(receiver: receiver) { $0.name = board }, absent) == expected)
  }

  @Test func `a second run of the script changes nothing`() throws {
    let directory = try TemporaryDirectory()
    let machine = machine {
      $0.files["/dev/serial0"]?.mode = 0o666
      $0.files["/dev/gpiochip0"]?.mode = 0o600
      $0.serialPort.isConsole = true
      $0.serialPort.login = "agetty"
      $0.serialPort.bluetooth = "hciattach"
      $0.leds["ACT"] = DeviceFile(path: "/sys/class/leds/ACT/brightness", kind: .other, mode: 0o644)
    }
    let subject = try subject(Self.withLED)
    let lines =
      script(subject, machine)
      + ["boot 'dtparam=strict_gpiod'", "add 'i2c-dev' /etc/modules-load.d/onefix.conf"]
    // The files and programs of a machine, in the directory.
    let text = ["/etc/", "/boot/"].reduce(lines.joined(separator: "\n") + "\n") {
      $0.replacingOccurrences(of: " \($1)", with: " \(directory.path)\($1)")
        .replacingOccurrences(of: "=\($1)", with: "=\(directory.path)\($1)")
    }
    try directory.write(text, to: "script")
    try directory.write("# settings\ndtparam=audio=on", to: "boot/firmware/config.txt")
    let arguments = "console=serial0,115200 console=tty1 root=/dev/x console=ttyAMA0,9600"
    try directory.write(arguments + "\n", to: "boot/firmware/cmdline.txt")
    for (name, body) in [
      ("id", "echo 0"), ("getent", "exit 2"), ("groupadd", ""), ("usermod", ""), ("modprobe", ""), ("udevadm", ""),
      ("systemctl", ""),
    ] {
      try directory.write(
        Array("#!/bin/sh\necho \"\(name) $*\" >>\(directory.path)/calls\n\(body)\n".utf8), to: "bin/\(name)",
        mode: 0o700)
    }
    let first = try run(directory)
    #expect(first == "restart the machine: its boot configuration has changed\n")
    let read = { (name: String) in String(decoding: directory.read(name) ?? [], as: UTF8.self) }
    let rules = read("etc/udev/rules.d/90-onefix.rules").split(separator: "\n")
    #expect(rules.count == 3)
    #expect(rules.contains { $0.hasPrefix(#"SUBSYSTEM=="leds", KERNEL=="ACT", RUN+="/bin/chgrp onefix "#) })
    #expect(rules.contains(#"SUBSYSTEM=="gpio", KERNEL=="gpiochip0", GROUP="gpio", MODE="0660""#))
    #expect(
      read("boot/firmware/config.txt") == "# settings\ndtparam=audio=on\n[all]\ndtparam=strict_gpiod\n")
    #expect(read("boot/firmware/cmdline.txt") == "console=tty1 root=/dev/x \n")
    #expect(read("boot/firmware/cmdline.txt.before-onefix") == arguments + "\n")
    let calls = read("calls").split(separator: "\n")
    for call in [
      "usermod --append --groups gpio onefix", "systemctl mask --now serial-getty@ttyAMA0.service",
      "udevadm control --reload",
      "systemctl try-restart onefix.service",
    ] {
      #expect(calls.contains { $0 == call }, "\(calls)")
    }
    let files = [
      "etc/udev/rules.d/90-onefix.rules", "etc/modules-load.d/onefix.conf", "boot/firmware/config.txt",
      "boot/firmware/cmdline.txt",
    ]
    let before = files.map(read)
    #expect(try run(directory) == "")
    #expect(files.map(read) == before)
  }

  /// Runs the script with the programs of the directory and returns its output.
  private func run(_ directory: TemporaryDirectory) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [directory.path("script")]
    process.environment = ["PATH": "\(directory.path)/bin:/usr/bin:/bin", "LC_ALL": "C"]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    return text
  }
}
