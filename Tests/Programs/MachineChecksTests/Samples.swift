import Configuration

@testable import Features

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

/// - Parameter owner: the configuration of the owner, without tables of features.
func subject(
  _ text: String = boardText, owner: String = "", receiver: String? = nil, allowsSharedReceiver: Bool = false,
  change: (inout Board) -> Void = { _ in }
) throws -> Subject {
  var board = try board(text)
  change(&board)
  var configuration = GatewayConfiguration()
  if !owner.isEmpty { configuration = try GatewayConfiguration(parsing: Array(owner.utf8), file: "onefix.toml") }
  configuration.allowsSharedReceiver = allowsSharedReceiver
  return Subject(
    board: try configuration.applied(to: board), configuration, receiver: try receiver.map { try ReceiverSpec($0) })
}

let onefix = Accounts.User(name: "onefix", uid: 990, gid: 980)

let accounts = Accounts(
  passwd: "root:x:0:0::/:\nonefix:x:990:980::/:\npi:x:1000:1000::/:\n",
  group: "root:x:0:\nonefix:x:980:\ndialout:x:20:onefix\ngpio:x:21:onefix,pi\ni2c:x:22:pi\npi:x:1000:\n")

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
  findings.map { "\($0.severity.rawValue) \($0.code) \($0.location)" }
}

/// Returns a subject with the features that a configuration describes.
/// - Parameter types: the features whose tables the configuration can have.
func subject(
  of configuration: String, _ types: [any ConfiguredFeature.Type], on board: String = boardText,
  receiver: String? = nil, uid: ((String) -> UInt32?)? = nil
) throws -> Subject {
  Subject(
    board: try Board(parsing: Array(board.utf8), file: "board.toml", name: "test"),
    try GatewayConfiguration(parsing: Array(configuration.utf8), file: "onefix.toml", features: types, uid: uid),
    receiver: try receiver.map { try ReceiverSpec($0) })
}
