import Configuration
import Foundation
import TemporaryFiles
import Testing

@testable import Features

/// The script of `onefixd check --script`.
@Suite struct RepairTests {
  /// A board with an LED of the kernel.
  private static let withLED = boardText.replacing(
    /chip = "pins"\nline = 3\nsense = .*/, with: #"led = "ACT""#)

  /// The line of a script that adds a udev rule.
  private static func added(_ rule: String) -> String { "add '\(rule)' /etc/udev/rules.d/90-onefix.rules" }

  /// The line of a script that gives a device to a user alone.
  private static func owned(_ device: String, _ subsystem: String, by user: String, _ more: String = "") -> String {
    added(
      #"KERNEL=="\#(device)", SUBSYSTEM=="\#(subsystem)", OWNER:="\#(user)", GROUP:="root", MODE:="0600"\#(more)"#)
  }

  private static let ignored = #", ENV{ID_MM_DEVICE_IGNORE}="1""#

  /// The output of a script that changed the boot configuration.
  private static let restart = "restart the machine: its boot configuration has changed\n"

  private func script(_ subject: Subject, _ machine: Machine) -> [String] {
    RepairScript(subject.configurationFindings + subject.findings(on: machine), for: subject, on: machine).lines
  }

  /// Returns the lines that change the machine.
  private func commands(_ subject: Subject, _ machine: Machine) -> [String] { commands(script(subject, machine)) }

  private func commands(_ lines: [String]) -> [String] {
    lines.filter { line in
      ["add '", "boot '", "join '", "modprobe '", "remove_console '", "systemctl mask"].contains { line.hasPrefix($0) }
    }
  }

  @Test(arguments: [
    ("uart:/dev/serial0", owned("ttyAMA0", "tty", by: "onefix", ignored)),
    ("i2c:/dev/i2c-1", owned("i2c-1", "i2c-dev", by: "onefix")),
  ])
  func `the receiver belongs to the daemon alone, whether it was shared or closed`(receiver: String, rule: String)
    throws
  {
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

  private static let plotter = "[[app]]\nid = \"plotter\"\nuid = 1000"

  /// The changes that give rights to the user pi, and their commands.
  private static let rights: [(Repair, [String])] = [
    (.own(#"KERNEL=="ttyGS0""#, subsystem: "tty"), [owned("ttyGS0", "tty", by: "pi", ignored)]),
    (.own(#"KERNEL=="i2c-1""#, subsystem: "i2c-dev"), [owned("i2c-1", "i2c-dev", by: "pi")]),
    (
      .ownLED("ACT"),
      [
        added(
          #"SUBSYSTEM=="leds", KERNEL=="ACT", RUN+="/bin/chown pi /sys/class/leds/ACT/brightness "#
            + #"/sys/class/leds/ACT/trigger", RUN+="/bin/chmod 600 /sys/class/leds/ACT/brightness "#
            + #"/sys/class/leds/ACT/trigger""#)
      ]
    ),
    (
      .share(chip: "gpiochip0"),
      [added(#"SUBSYSTEM=="gpio", KERNEL=="gpiochip0", GROUP:="gpio", MODE:="0660""#), "join 'pi' 'gpio'"]
    ),
    (.join(group: "gpio"), ["join 'pi' 'gpio'"]),
  ]

  @Test(arguments: rights.indices)
  func `a user that is also an app's user gets no right, and no rule names it`(number: Int) throws {
    let (repair, expected) = Self.rights[number]
    let machine = machine { $0.user = Accounts.User(name: "pi", uid: 1000, gid: 1000) }
    let finding = Finding(
      .gpioDenied, at: ConfigurationLocation(file: "board.toml", line: 6), repairs: [repair])
    #expect(commands(RepairScript([finding], for: try subject(), on: machine).lines) == expected)
    let plotter = try subject(owner: Self.plotter)
    let lines = RepairScript([finding, finding], for: plotter, on: machine).lines
    #expect(commands(lines).isEmpty)
    #expect(lines.filter { $0.contains("because app plotter runs as this user") }.count == 1)
  }

  @Test func `the light belongs to the daemon's user, and to no group`() throws {
    let subject = try subject(Self.withLED)
    let machine = machine {
      $0.leds["ACT"] = DeviceFile(path: "/sys/class/leds/ACT/brightness", kind: .other, mode: 0o644)
    }
    let files = "/sys/class/leds/ACT/brightness /sys/class/leds/ACT/trigger"
    let rule = #"RUN+="/bin/chown onefix \#(files)", RUN+="/bin/chmod 600 \#(files)""#
    let found = subject.findings(on: machine)
    #expect(found.map(\.code) == ["led-denied"] && found.first?.remedy?.hasSuffix(rule) == true)
    let lines = commands(subject, machine)
    #expect(lines.count == 1 && lines.first?.contains(rule + "'") == true)
  }

  @Test func `only the daemon's user becomes a member of a group`() throws {
    let subject = try subject(owner: Self.plotter)
    let machine = machine { $0.files["/dev/gpiochip0"]?.group = 22 }
    #expect(commands(subject, machine) == ["join 'onefix' 'i2c'"])
    #expect(!script(subject, machine).joined().contains("pi'"))
  }

  @Test func `a finding that no script can remove is a comment with its remedy, and without findings nothing changes`()
    throws
  {
    let unchanged = script(try subject(), machine())
    #expect(unchanged.contains("# No change is necessary that a script can make.") && commands(unchanged).isEmpty)
    let lines = script(try subject(), machine { $0.chips[0].lines[1].consumer = "evil\nreboot" })
    #expect(lines.contains { $0.hasPrefix("# ") && $0.contains("evil reboot") })
    #expect(lines.contains { $0.hasPrefix("# This script does not change it. Remedy: stop that program") })
    #expect(!lines.contains { $0.hasPrefix("reboot") })
  }

  @Test func `a word with a combining mark cannot end the quotes, and a comment has no control characters`() throws {
    let finding = Finding(
      Fault("uart-login", .error, "held by \u{1B}[2J\u{7}evil\r\u{2028}reboot\u{202E}"),
      at: ConfigurationLocation(file: "board.toml", line: 2),
      repairs: [.mask(unit: "a'\u{301}; id")])
    let lines = RepairScript([finding], for: try subject(), on: machine()).lines
    let bytes = lines.map { Array($0.utf8) }
    #expect(bytes.contains(Array("systemctl mask --now 'a'\\''\u{301}; id'".utf8)))
    #expect(bytes.contains(Array("# board.toml:2: held by  [2J evil  reboot ".utf8)))
  }

  private static let module = ["add 'i2c-dev' /etc/modules-load.d/onefix.conf", "modprobe 'i2c-dev'"]

  /// A board, a receiver whose port is missing, the label of the chip of a board with Bluetooth, and the commands.
  @Test(
    arguments: [
      ("raspberry-pi-4", "uart:/dev/ttyAMA0", nil, ["boot 'enable_uart=1'"]),
      ("raspberry-pi-5", "uart:/dev/ttyAMA0", nil, ["boot 'dtparam=uart0=on'"]),
      ("uputronics-gps-hat", "uart:/dev/serial0", nil, ["boot 'enable_uart=1'"]),
      ("raspberry-pi-4", "uart:/dev/ttyUSB0", nil, []), ("generic", "uart:/dev/ttyAMA0", nil, []),
      ("raspberry-pi-4", "i2c:/dev/i2c-1", nil, ["boot 'dtparam=i2c_arm=on'"] + module),
      ("generic", "i2c:/dev/i2c-1", nil, module),
      ("raspberry-pi-4", "uart:/dev/serial0", "pinctrl-bcm2711", ["boot 'enable_uart=1'"]),
      ("raspberry-pi-4", "uart:/dev/ttyAMA0", "pinctrl-bcm2711", []),
      ("raspberry-pi-5", "uart:/dev/ttyAMA0", "pinctrl-rp1", ["boot 'dtparam=uart0=on'"]),
      ("uputronics-gps-hat", "uart:/dev/ttyAMA0", "pinctrl-rp1", ["boot 'dtparam=uart0=on'"]),
      ("uputronics-gps-hat", "uart:/dev/serial0", "pinctrl-bcm2711", ["boot 'enable_uart=1'"]),
    ] as [(String, String, String?, [String])])
  func `a missing port is enabled in the boot configuration, unless a Bluetooth chip can be its cause`(
    board: String, receiver: String, label: String?, expected: [String]
  ) throws {
    let absent = machine {
      for name in ["/dev/serial0", "/dev/i2c-1"] { $0.files[name] = nil }
      guard let label else { return }
      $0.bluetoothDrivers = ["hci_uart_bcm"]
      $0.chips.append(chip(label, path: "/dev/gpiochip1"))
    }
    let subject = try subject(receiver: receiver) { $0.name = board }
    let isByBluetooth = label != nil && expected.isEmpty
    #expect(subject.findings(on: absent).map(\.code) == [isByBluetooth ? "uart-bluetooth" : "receiver-absent"])
    #expect(commands(subject, absent) == expected)
  }

  /// A directory with a script, and the files and programs of a machine. The programs write their calls to `calls`.
  private func directory(_ lines: [String], programs: [String: String] = [:]) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    let text = ["/etc/", "/boot/", "/run/", "/dev/serial0"].reduce(lines.joined(separator: "\n") + "\n") {
      $0.replacingOccurrences(of: " \($1)", with: " \(directory.path)\($1)")
        .replacingOccurrences(of: "=\($1)", with: "=\(directory.path)\($1)")
    }
    try directory.write(text, to: "script")
    try directory.write("", to: "calls")
    try directory.write("", to: "groups")
    try directory.makeFolder("run")
    let usual = [
      "id": "if [ \"$1\" = -u ]; then echo 0; else tr '\\n' ' ' <\(directory.path)/groups; fi", "getent": "exit 2",
      "groupadd": "", "usermod": "echo \"$3\" >>\(directory.path)/groups", "modprobe": "", "udevadm": "",
      "systemctl": "",
    ]
    for (name, body) in usual.merging(programs, uniquingKeysWith: { $1 }) { try install(name, body, in: directory) }
    return directory
  }

  private func install(_ name: String, _ body: String, in directory: TemporaryDirectory) throws {
    try directory.write(
      Array("#!/bin/sh\necho \"\(name) $*\" >>\(directory.path)/calls\n\(body)\n".utf8), to: "bin/\(name)",
      mode: 0o700)
  }

  private func text(_ name: String, in directory: TemporaryDirectory) -> String {
    String(decoding: directory.read(name) ?? [], as: UTF8.self)
  }

  @Test func `a second run of the script changes nothing`() throws {
    let machine = machine {
      $0.files["/dev/serial0"]?.mode = 0o666
      $0.files["/dev/gpiochip0"]?.mode = 0o600
      $0.serialPort.isConsole = true
      $0.serialPort.login = "agetty"
      $0.serialPort.bluetooth = "hciattach"
      $0.leds["ACT"] = DeviceFile(path: "/sys/class/leds/ACT/brightness", kind: .other, mode: 0o644)
    }
    var lines = script(try subject(Self.withLED), machine)
    let end = try #require(lines.firstIndex { $0.hasPrefix("if [ -e \"$machine\" ]") })
    lines.insert(contentsOf: ["boot 'dtparam=strict_gpiod'", "add 'i2c-dev' /etc/modules-load.d/onefix.conf"], at: end)
    let directory = try directory(lines)
    try directory.write("# settings\ndtparam=audio=on", to: "boot/firmware/config.txt")
    let arguments = "console=serial0,115200 console=tty1 root=/dev/x console=ttyAMA0,9600"
    try directory.write(arguments + "\n", to: "boot/firmware/cmdline.txt")
    #expect(try run(directory) == Self.restart)
    let read = { (name: String) in text(name, in: directory) }
    let rules = read("etc/udev/rules.d/90-onefix.rules").split(separator: "\n")
    #expect(rules.count == 3)
    #expect(rules.contains { $0.hasPrefix(#"SUBSYSTEM=="leds", KERNEL=="ACT", RUN+="/bin/chown onefix /sys/"#) })
    #expect(!rules.contains { $0.contains("chgrp") || $0.contains("GROUP:=\"onefix\"") })
    #expect(rules.contains(#"SUBSYSTEM=="gpio", KERNEL=="gpiochip0", GROUP:="gpio", MODE:="0660""#))
    #expect(
      read("boot/firmware/config.txt") == "# settings\ndtparam=audio=on\n[all]\ndtparam=strict_gpiod\n")
    #expect(read("boot/firmware/cmdline.txt") == "console=tty1 root=/dev/x \n")
    #expect(read("boot/firmware/cmdline.txt.before-onefix") == arguments + "\n")
    let made = read("calls").split(separator: "\n").map(String.init)
    for call in ["usermod --append --groups gpio onefix", "systemctl mask --now serial-getty@ttyAMA0.service"] {
      #expect(made.contains(call), "\(made)")
    }
    // The service starts after the devices have their new owner.
    #expect(
      made.suffix(4).map { $0.prefix(41) } == [
        "udevadm control --reload", "udevadm trigger --settle --action=change ", "systemctl daemon-reload",
        "systemctl try-restart onefix.service",
      ])
    let files = [
      "etc/udev/rules.d/90-onefix.rules", "etc/modules-load.d/onefix.conf", "boot/firmware/config.txt",
      "boot/firmware/cmdline.txt", "groups",
    ]
    let before = files.map(read)
    try directory.write("", to: "calls")
    #expect(try run(directory) == "")
    #expect(files.map(read) == before)
    #expect(!read("calls").contains("try-restart") && !read("calls").contains("usermod"))
  }

  @Test(
    arguments: [
      (nil, "console=tty1 root=/dev/x "), ("ttyAMA0", "console=tty1 root=/dev/x "),
      ("ttyAMA10", "console=serial0,115200 console=tty1 root=/dev/x "),
    ] as [(String?, String)])
  func `the console serial0 is removed only from the port of this name`(target: String?, expected: String) throws {
    let directory = try directory(script(try subject(), machine { $0.serialPort.isConsole = true }))
    try directory.write(
      "console=serial0,115200 console=tty1 root=/dev/x console=ttyAMA0,9600\n", to: "boot/firmware/cmdline.txt")
    try directory.makeFolder("dev")
    if let target {
      try FileManager.default.createSymbolicLink(atPath: directory.path("dev/serial0"), withDestinationPath: target)
    }
    #expect(try run(directory) == Self.restart)
    #expect(text("boot/firmware/cmdline.txt", in: directory) == expected + "\n")
  }

  @Test func `only devices that get a rule get an event of udev`() throws {
    let events = { (lines: [String]) in lines.filter { $0.hasPrefix("udevadm ") } }
    #expect(events(script(try subject(), machine { $0.serialPort.isConsole = true })).isEmpty)
    #expect(
      events(script(try subject(), machine { $0.files["/dev/serial0"]?.mode = 0o666 }))
        == ["udevadm control --reload", "udevadm trigger --settle --action=change --subsystem-match=tty"])
    let closed = machine { $0.files["/dev/gpiochip0"]?.mode = 0o600 }
    #expect(events(script(try subject(), closed)).last?.hasSuffix("change --subsystem-match=gpio") == true)
  }

  @Test func `a device that the sandbox forbids gets a drop-in of the service`() throws {
    let machine = machine {
      $0.sandbox = Sandbox()
      $0.files["/dev/serial0"]?.drivers = ["rfcomm"]
    }
    let directory = try directory(script(try subject(), machine))
    for _ in 0..<2 { #expect(try run(directory) == "") }
    #expect(
      text("etc/systemd/system/onefix.service.d/zz-devices.conf", in: directory)
        == "[Service]\nDeviceAllow=char-rfcomm rw\n")
    #expect(
      text("calls", in: directory).split(separator: "\n").filter { $0.hasPrefix("systemctl") }
        == ["systemctl daemon-reload", "systemctl try-restart onefix.service"])
  }

  @Test(arguments: ["modprobe", "udevadm", "systemctl"])
  func `a run that ended too early is completed by the next run`(failing: String) throws {
    let absent = machine {
      $0.files["/dev/i2c-1"] = nil
      $0.files["/dev/gpiochip0"]?.mode = 0o600
    }
    let lines = script(try subject(receiver: "i2c:/dev/i2c-1") { $0.name = "raspberry-pi-4" }, absent)
    let directory = try directory(lines, programs: [failing: "exit 1"])
    try directory.write("", to: "boot/firmware/config.txt")
    #expect(try run(directory, status: 1) == (failing == "modprobe" ? "" : Self.restart))
    try install(failing, "", in: directory)
    for isSecond in [true, false] {
      try directory.write("", to: "calls")
      #expect(try run(directory) == (isSecond && failing == "modprobe" ? Self.restart : ""))
      #expect(text("calls", in: directory).contains("systemctl try-restart onefix.service") == isSecond)
    }
  }

  @Test(arguments: [("onefix", true), ("980", true), ("plotter", false), ("", false)])
  func `nothing is changed if the unit of an app runs as the daemon's user`(user: String, isRefused: Bool) throws {
    let subject = try subject(owner: "[[app]]\nid = \"plotter\"\nunit = \"plotter.service\"")
    let directory = try directory(
      script(subject, machine { $0.files["/dev/serial0"]?.mode = 0o666 }),
      programs: [
        "systemctl": "if [ \"$*\" = 'show --property=User --value plotter.service' ]; then echo '\(user)'; fi",
        "id": "case $2 in '') echo 0 ;; onefix | 980) echo 980 ;; *) echo 1001 ;; esac",
      ])
    let output = try run(directory, status: isRefused ? 1 : 0)
    #expect(output.hasPrefix("nothing was changed: app plotter (plotter.service) runs as the") == isRefused)
    #expect(text("etc/udev/rules.d/90-onefix.rules", in: directory).isEmpty == isRefused)
    let harmless = script(subject, machine())
    #expect(!harmless.contains { $0.hasPrefix("distinct ") }, "a script that gives no right needs no user")
  }

  @Test(arguments: ["KERNEL==\"x\"", "KERNEL==\"x\"\n", ""])
  func `a rule gets a line of its own, also after a line without an end`(present: String) throws {
    let directory = try directory(script(try subject(), machine { $0.files["/dev/serial0"]?.mode = 0o666 }))
    try directory.write(present, to: "etc/udev/rules.d/90-onefix.rules")
    #expect(try run(directory) == "")
    let rule = Repair.ownershipRule(#"KERNEL=="ttyAMA0""#, subsystem: "tty", user: "onefix")
    let former = present.isEmpty ? "" : "KERNEL==\"x\"\n"
    #expect(text("etc/udev/rules.d/90-onefix.rules", in: directory) == former + rule + "\n")
  }

  @Test(arguments: [
    ("LINE\n", true), ("[cm4]\n[all]\nLINE\n", true), ("[all]\nLINE\n[cm4]\n", true), ("[all]\r\nLINE\n", true),
    ("[cm4]\nLINE\n", false), ("[all]\n[cm4]\nLINE\n", false), ("[cm4]\nLINE\n[pi4]\nLINE\n", false),
  ])
  func `a line of the boot configuration counts only outside of a filter`(present: String, isEnough: Bool) throws {
    let present = present.replacing("LINE", with: "dtparam=strict_gpiod")
    let lines = script(try subject { $0.name = "raspberry-pi-4" }, machine { $0.persistentPins = ["pins"] })
    let directory = try directory(lines)
    try directory.write(present, to: "boot/firmware/config.txt")
    #expect(try run(directory) == (isEnough ? "" : Self.restart))
    let file = present + (isEnough ? "" : "\n[all]\ndtparam=strict_gpiod\n")
    #expect(text("boot/firmware/config.txt", in: directory) == file)
    #expect(try run(directory) == "")
    #expect(text("boot/firmware/config.txt", in: directory) == file)
  }

  /// Runs the script with the programs of the directory and returns its output.
  private func run(_ directory: TemporaryDirectory, status: Int32 = 0) throws -> String {
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
    #expect(process.terminationStatus == status, "\(text)")
    return text
  }
}
