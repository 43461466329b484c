import Configuration
import Foundation
import Hardware
import Repository
import Testing

@testable import Features

/// A change of a machine without findings, and the resulting findings.
struct Case: Sendable, CustomTestStringConvertible {
  var name: String
  var receiver: String?
  var change: @Sendable (inout Machine) -> Void
  /// The findings in the format of `brief`, with ` :` in place of ` board.toml:`.
  var found: [String]
  /// Words in the messages or remedies.
  var words: [String] = []
  var testDescription: String { name }

  init(
    _ name: String, receiver: String? = nil, _ found: [String], _ words: [String] = [],
    _ change: @escaping @Sendable (inout Machine) -> Void
  ) {
    self.name = name
    self.receiver = receiver
    self.change = change
    self.found = found
    self.words = words
  }
}

private let lineCases: [Case] = [
  Case("no chip", ["error gpio-absent :6"], ["/dev/gpiochip*", "--board simulated"]) {
    $0.chips = []
    $0.files["/dev/gpiochip0"] = nil
  },
  Case("a chip for another group", ["error gpio-denied :6"], ["onefix", "adduser onefix i2c"]) {
    $0.files["/dev/gpiochip0"]?.group = 22
  },
  Case("a chip for root alone", ["error gpio-denied :6"], ["udev rule", #"KERNEL=="gpiochip0""#]) {
    $0.files["/dev/gpiochip0"] = DeviceFile(path: "/dev/gpiochip0", mode: 0o600)
  },
  Case("a group that may only read", ["error gpio-denied :6"], ["udev rule"]) {
    $0.files["/dev/gpiochip0"]?.mode = 0o640
  },
  Case("whoever checks sees no chip", ["note gpio-unseen :6"], ["root", "onefix"]) { $0.chips = [] },
  Case(
    "another label", ["error chip-absent :6", "error chip-absent :10", "error chip-absent :11"],
    ["'pins'", "pinctrl-rp1"]
  ) {
    $0.chips[0].label = "pinctrl-rp1"
  },
  Case("two chips of one label", ["error chip-ambiguous :10"], ["/dev/gpiochip0:3", "/dev/gpiochip1:3"]) {
    $0.chips.append(chip(path: "/dev/gpiochip1", ["", "", "", ""]))
  },
  Case("a name that is not there", ["error line-absent :6"], ["pins:BUTTON", "gpioinfo"]) {
    $0.chips[0].lines[1].name = "KNOB"
  },
  Case("an offset that is not there", ["error line-absent :10"], ["pins:3"]) { $0.chips[0].lines.removeLast() },
  Case("a line that is held", ["error line-busy :10"], ["'spi0 CS1'", "/dev/gpiochip0:3"]) {
    $0.chips[0].lines[3].consumer = "spi0 CS1"
  },
  Case("lines that the daemon holds", ["note line-held :6", "note line-held :10"]) {
    $0.chips[0].lines[1].consumer = "onefix"
    $0.chips[0].lines[3].consumer = "onefix"
  },
  Case("pins that stay as they were", ["warning indicator-persists :10"], ["strict_gpiod"]) {
    $0.persistentPins = ["pins"]
  },
  Case(
    "a chip that the sandbox of the service forbids", ["error sandbox-denied :6"],
    ["button 'main': the sandbox", "/dev/gpiochip0", "DeviceAllow=char-gpiochip rw"]
  ) {
    $0.sandbox = Sandbox(drivers: ["tty*"])
    $0.files["/dev/gpiochip0"]?.drivers = ["gpiochip", "254"]
  },
  Case("another chip's pins stay", []) { $0.persistentPins = ["pinctrl-rp1"] },
]

private let uartCases: [Case] = [
  Case("no port", ["error receiver-absent :2"], ["/dev/serial0"]) { $0.files["/dev/serial0"] = nil },
  Case("no port, and Bluetooth has one", ["error uart-bluetooth :2"], ["hci_uart_bcm", "disable-bt"]) {
    $0.files["/dev/serial0"] = nil
    $0.bluetoothDrivers = ["hci_uart_bcm"]
  },
  Case("Bluetooth has another port", []) { $0.bluetoothDrivers = ["hci_uart_bcm"] },
  Case("a file instead of a port", ["error receiver-unsuitable :2"], ["replay:/dev/serial0"]) {
    $0.files["/dev/serial0"]?.kind = .other
  },
  Case("a console on it", ["error uart-console :2"], ["/dev/ttyAMA0", "console=ttyAMA0"]) {
    $0.serialPort.isConsole = true
  },
  Case(
    "a login on it", ["error uart-login :2"],
    ["agetty, pid 7,", "which consumes the receiver's data", "serial-getty@ttyAMA0.service"]
  ) {
    $0.serialPort.login = "agetty, pid 7,"
  },
  Case("a login by the name of the link", ["error uart-login :2"], ["/dev/ttyAMA0", "serial-getty@serial0.service"]) {
    $0.serialPort.login = "agetty, pid 7,"
    $0.serialPort.loginPort = "serial0"
  },
  Case("Bluetooth on it", ["error uart-bluetooth :2"], ["hciattach, pid 8,"]) {
    $0.serialPort.bluetooth = "hciattach, pid 8,"
  },
  Case("it is another group's", ["error receiver-denied :2"], [#"OWNER:="onefix", GROUP:="root""#]) {
    $0.accounts.groups.append(Accounts.Group(name: "onlyroot", gid: 30, members: ["root"]))
    $0.files["/dev/serial0"]?.group = 30
  },
  Case("gpsd holds it", ["error receiver-busy :2"], ["gpsd, pid 9", "gpsd.socket"]) {
    $0.serialPort.holders = [Machine.Process(pid: 9, name: "gpsd")]
  },
  Case(
    "a driver that the sandbox of the service forbids", ["error sandbox-denied :2"],
    ["the sandbox of onefix.service", "/dev/rfcomm0", "systemctl edit onefix", "DeviceAllow=char-rfcomm rw"]
  ) {
    $0.sandbox = Sandbox(drivers: ["tty*"])
    $0.files["/dev/serial0"] = DeviceFile(path: "/dev/rfcomm0", group: 20, mode: 0o660, drivers: ["rfcomm", "216"])
  },
  Case("a driver that the sandbox of the service allows", []) {
    $0.sandbox = Sandbox(drivers: ["tty*"])
    $0.files["/dev/serial0"]?.drivers = ["ttyAMA", "204"]
  },
  Case(
    "a copy of its node for another group", ["error receiver-denied :2"],
    ["open /dev/gnss", "use /dev/ttyAMA0, and remove /dev/gnss"]
  ) {
    $0.files["/dev/ttyAMA0"] = $0.files["/dev/serial0"]
    $0.files["/dev/serial0"]?.copy = "/dev/gnss"
    $0.files["/dev/serial0"]?.group = 0
  },
  Case(
    "a shared copy of its node", ["error receiver-shared :2"],
    ["/dev/gnss can be read by everyone", "use /dev/ttyAMA0, and remove /dev/gnss"]
  ) {
    $0.files["/dev/ttyAMA0"] = $0.files["/dev/serial0"]
    $0.files["/dev/serial0"]?.copy = "/dev/gnss"
    $0.files["/dev/serial0"]?.mode = 0o666
  },
  Case(
    "a private copy of its shared node", ["error receiver-shared :2"],
    ["/dev/ttyAMA0 can be read by everyone", #"KERNEL=="ttyAMA0""#]
  ) {
    $0.files["/dev/ttyAMA0"] = DeviceFile(path: "/dev/ttyAMA0", group: 20, mode: 0o666)
    $0.files["/dev/serial0"]?.copy = "/dev/gnss"
  },
  Case("the daemon holds it", ["note receiver-held :2"], ["onefixd, pid 10"]) {
    $0.serialPort.holders = [Machine.Process(pid: 10, name: "onefixd")]
  },
]

private let bus = "i2c:/dev/i2c-1"

private let otherReceiverCases: [Case] = [
  Case("no bus", receiver: "i2c:/dev/i2c-7", ["error receiver-absent --receiver"], ["i2cdetect -l"]) { _ in },
  Case("a file instead of a bus", receiver: bus, ["error receiver-unsuitable --receiver"]) {
    $0.files["/dev/i2c-1"]?.kind = .other
  },
  Case("a bus of another group", receiver: bus, ["denied", "shared"].map { "error receiver-\($0) --receiver" }) {
    $0.files["/dev/i2c-1"] = DeviceFile(path: "/dev/i2c-1", group: 22, mode: 0o660)
  },
  Case(
    "a bus that the sandbox of the service forbids", receiver: bus, ["error sandbox-denied --receiver"],
    ["/dev/i2c-1", "DeviceAllow=char-i2c rw"]
  ) {
    $0.sandbox = Sandbox(drivers: ["tty*"])
    $0.files["/dev/i2c-1"]?.drivers = ["i2c", "89"]
  },
  Case("silence", receiver: "i2c:/dev/i2c-1:0x10", ["error i2c-silent --receiver"], ["0x10", "i2cdetect -y 1"]) {
    $0.i2cBus.probeResult = .silent
  },
  Case("it may not be asked", receiver: bus, ["note i2c-unseen --receiver"]) { $0.i2cBus.probeResult = .notProbed },
  Case("a driver has the address", receiver: bus, ["error i2c-taken --receiver"], ["rk8602", "0x42"]) {
    $0.i2cBus.driver = "rk8602"
    $0.i2cBus.probeResult = .notProbed
  },
  Case(
    "a controller that cannot stretch", receiver: bus, ["warning i2c-stretching --receiver"],
    ["400 kHz", "i2c-gpio", "20 corrupt"]
  ) {
    $0.i2cBus.adapter = "bcm2835 (i2c@7e804000)"
    $0.i2cBus.frequency = 400_000
  },
  Case("a fast bus", receiver: bus, ["warning i2c-fast --receiver"], ["1000 kHz", "400 kHz", "clock-frequency"]) {
    $0.i2cBus.frequency = 1_000_000
  },
  Case("a bus as fast as may be", receiver: bus, []) { $0.i2cBus.frequency = 400_000 },
  Case("a fast bus without u-blox", receiver: "i2c:/dev/i2c-1:0x10", []) { $0.i2cBus.frequency = 1_000_000 },
  Case("a bit-banged bus", receiver: bus, []) { $0.i2cBus.adapter = "i2c-gpio" },
  Case("a recording that is not there", receiver: "replay:/log.nmea", ["error receiver-absent --receiver"]) { _ in },
  Case("a recording", receiver: "replay:/log.nmea", []) {
    $0.files["/log.nmea"] = DeviceFile(path: "/log.nmea", kind: .other, mode: 0o644)
  },
  Case("a simulation", receiver: "simulated", []) { $0.files = ["/dev/gpiochip0": $0.files["/dev/gpiochip0"]!] },
]

private let rootCase = Case("root, who can open everything", []) {
  $0.user = Accounts.User(name: "root", uid: 0, gid: 0)
  $0.files["/dev/gpiochip0"] = DeviceFile(path: "/dev/gpiochip0", mode: 0)
  $0.files["/dev/serial0"] = DeviceFile(path: "/dev/ttyAMA0", mode: 0o600)
}

@Test(arguments: [Case("nothing", []) { _ in }, rootCase] + lineCases + uartCases + otherReceiverCases)
func `each fault of a machine is reported at its line with its remedy`(fault: Case) throws {
  let found = try subject(receiver: fault.receiver).findings(on: machine(fault.change))
  #expect(brief(found) == fault.found.map { $0.replacing(" :", with: " board.toml:") })
  let text = found.map(\.description).joined(separator: "\n")
  for word in fault.words { #expect(text.contains(word), "\(text)") }
}

@Test func `a line name of several chips needs the chip's label`() throws {
  let text = boardText.replacing("chip = \"pins\"\nline = \"BUTTON\"", with: "line = \"BUTTON\"")
  let two = machine { $0.chips.append(chip("other", path: "/dev/gpiochip1", ["BUTTON"])) }
  let found = try subject(text).findings(on: two)
  #expect(brief(found) == ["error line-ambiguous board.toml:5"])
  #expect(found.first?.description.contains("/dev/gpiochip0:1 and /dev/gpiochip1:0") == true)
}

@Test(arguments: [
  (#"chip = "pins"\nline = 1"#, true), (#"line = "BUTTON""#, true), (#"chip = "pins"\nline = 0"#, false),
])
func `two texts of one line are one line`(text: String, isTwice: Bool) throws {
  let board = boardText.replacing("chip = \"pins\"\nline = 3", with: text.replacing("\\n", with: "\n"))
  let found = try subject(board).findings(on: machine())
  #expect(found.map(\.code) == (isTwice ? ["line-twice"] : []))
  #expect(found.allSatisfy { $0.message.hasPrefix("the indicator and button 'main' are on one line, ") })
}

@Test func `the line of the receiver's power is checked like other lines`() throws {
  let subject = try subject { $0.receiverOptions.power = LineSpec(chip: "pins", .name("POWER")) }
  #expect(brief(subject.findings(on: machine())) == ["error line-absent board.toml:2"])
  #expect(subject.findings(on: machine())[0].message.contains("the receiver's power"))
}

@Test func `on a simulated board, only the receiver is checked`() throws {
  let subject = try subject(boardText.replacing("receiver =", with: "simulated = true\nreceiver ="))
  let bare = machine {
    $0.chips = []
    $0.files["/dev/gpiochip0"] = nil
  }
  #expect(subject.findings(on: bare) == [])
  #expect(brief(subject.findings(on: Machine())) == ["error receiver-absent board.toml:3"])
}

// MARK: LEDs of the kernel

private let ledText =
  "name = \"test\"\nreceiver = \"simulated\"\n[[button]]\nname = \"main\"\nline = \"BUTTON\"\n[indicator]\n"
  + "led = [\"r\", \"g\", \"b\"]"

@Test(arguments: [
  (nil, ["error led-absent board.toml:7"]),
  (DeviceFile(path: "/b", kind: .other, mode: 0o644), ["error led-denied board.toml:7"]),
  (DeviceFile(path: "/b", kind: .other, group: 21, mode: 0o664), []),
  (DeviceFile(path: "/b", kind: .other, owner: 990, mode: 0o644), []),
  (DeviceFile(path: "/b", kind: .other, owner: 990, mode: 0o466), ["error led-denied board.toml:7"]),
])
func `an LED of the kernel must exist and be writable`(blue: DeviceFile?, found: [String]) throws {
  let open = DeviceFile(path: "/x", kind: .other, group: 21, mode: 0o664)
  let leds = ["r": open, "g": open, "b": blue].compactMapValues(\.self)
  #expect(brief(try subject(ledText).findings(on: machine { $0.leds = leds })) == found)
}

// MARK: Units

@Test(arguments: [
  ("6.1.0-50-amd64\n", false), ("6.4.99", false), ("5.15.0", false), ("6.5.0-rc1", true), ("6.12.25+rpt-rpi-v8", true),
  ("10.0", true), ("unknown", true),
])
func `an app with a unit needs a kernel that identifies it`(release: String, isProven: Bool) throws {
  let subject = try subject(
    owner: "[[app]]\nid = \"parks\"\nuid = 7\n[[app]]\nid = \"kiosk\"\nunit = \"kiosk.service\"")
  let old = machine { $0.kernel = Machine.Kernel(release: release) }
  #expect(brief(subject.findings(on: old)) == (isProven ? [] : ["error unit-unproven onefix.toml:6"]))
  #expect(subject.warnings(on: old).map(\.code) == (isProven ? [] : ["unit-unproven"]))
  #expect(Subject(board: try board()).findings(on: old).isEmpty)
}

// MARK: Codes

@Test func `a test finds each fault of the table, and fills each text`() throws {
  let found = try (lineCases + uartCases + otherReceiverCases).flatMap { fault in
    try subject(receiver: fault.receiver).findings(on: machine(fault.change))
  }
  // The braces of udev rules are no names of values.
  #expect(found.allSatisfy { !$0.description.replacing("ENV{ID_MM_DEVICE_IGNORE}", with: "").contains("{") })
  #expect(found.allSatisfy { $0.severity == .note || $0.remedy?.isEmpty == false })
  // The codes of the other test files.
  let others = [
    "line-ambiguous", "led-absent", "led-denied", "receiver-shared", "line-twice", "indicator-unsensed",
    "unit-unproven", "app-shared", "key-open", "state-volatile", "state-read-only", "clock-unset", "app-user",
    "key-unused", "certificate-unused", "configuration-denied",
  ]
  let source = try String(
    contentsOfFile: "\(Repository.root)/Sources/Programs/Features/Checks/FaultTable.swift", encoding: .utf8)
  let declared = source.matches(of: /(?:Fault|of)\(\s*"([a-z0-9-]+)"/).map { String($0.1) }
  #expect(Set(found.map(\.code) + others) == Set(declared) && Set(declared).count > 30)
}

@Test func `the status names each code of the findings once, and no fault whose state it follows`() {
  let location = ConfigurationLocation(file: "onefix.toml")
  let faults: [Fault] = [.deviceShared, .userAbsent, .keyOpen, .gpsdShared]
  #expect(faults.map { Finding($0, at: location) }.statusCodes == ["receiver-shared", "key-open"])
}
