import Configuration
import Hardware

@testable import MachineChecks

/// A board with a button, an LED, a sense input and a power switch, each on a configured line.
let boardText = """
  name = "test"
  receiver = "uart:/dev/serial0"
  [[button]]
  name = "main"
  chip = "pins"
  line = "BUTTON"
  active_low = true
  [indicator]
  chip = "pins"
  line = 3
  sense = { chip = "pins", line = "SENSE" }
  """

func board(_ text: String = boardText) throws -> Board {
  try Board(parsing: Array(text.utf8), file: "board.toml", name: "test")
}

func subject(
  _ text: String = boardText, receiver: String? = nil, allowsSharedReceiver: Bool = false,
  change: (inout Board) -> Void = { _ in }
) throws -> Subject {
  var board = try board(text)
  change(&board)
  var configuration = GatewayConfiguration()
  configuration.allowsSharedReceiver = allowsSharedReceiver
  return Subject(board: board, configuration, receiver: try receiver.map { try ReceiverSpec($0) })
}

let onefix = Accounts.User(name: "onefix", uid: 990, gid: 980)

let accounts = Accounts(
  users: [
    Accounts.User(name: "root", uid: 0, gid: 0), onefix, Accounts.User(name: "pi", uid: 1000, gid: 1000),
  ],
  groups: [
    Accounts.Group(name: "root", gid: 0), Accounts.Group(name: "onefix", gid: 980),
    Accounts.Group(name: "dialout", gid: 20, members: ["onefix"]),
    Accounts.Group(name: "gpio", gid: 21, members: ["onefix", "pi"]),
    Accounts.Group(name: "i2c", gid: 22, members: ["pi"]),
    Accounts.Group(name: "pi", gid: 1000),
  ])

func chip(
  _ label: String = "pins", path: String = "/dev/gpiochip0", _ names: [String] = ["", "BUTTON", "SENSE", "LED"]
)
  -> Machine.Chip
{
  Machine.Chip(path: path, label: label, lines: names.map { Machine.Chip.Line(name: $0) })
}

/// A machine without findings.
func machine(_ change: (inout Machine) -> Void = { _ in }) -> Machine {
  var machine = Machine()
  machine.user = onefix
  machine.accounts = accounts
  machine.chips = [chip()]
  machine.files["/dev/gpiochip0"] = DeviceFile(path: "/dev/gpiochip0", group: 21, mode: 0o660)
  machine.files["/dev/serial0"] = DeviceFile(path: "/dev/ttyAMA0", group: 20, mode: 0o660)
  machine.files["/dev/i2c-1"] = DeviceFile(path: "/dev/i2c-1", owner: 990, group: 0, mode: 0o600)
  machine.i2cBus.adapter = "Synopsys DesignWare I2C adapter"
  machine.i2cBus.probeResult = .replied
  change(&machine)
  return machine
}

/// The findings in short form, as in `error chip-absent board.toml:6`.
func brief(_ findings: [Finding]) -> [String] {
  findings.map { "\($0.severity.rawValue) \($0.code.rawValue) \($0.location)" }
}
