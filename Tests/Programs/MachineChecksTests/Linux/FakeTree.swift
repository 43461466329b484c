import Configuration
import Glibc
@testable import Features
import TemporaryFiles

/// A folder in place of a machine's root. FIFOs replace devices, which only root can create. Removed at its `deinit`.
final class FakeTree: Sendable {
  private let directory: TemporaryDirectory

  var path: String { directory.path }

  init() throws {
    directory = try TemporaryDirectory()
    try file(
      "/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nonefix:x:990:980::/:/bin/false\npi:x:1000:1000::/home/pi:/bin/sh\n"
    )
    try file("/etc/group", "root:x:0:\ndialout:x:20:pi\nonefix:x:980:\n")
    try file("/proc/cmdline", "root=/dev/mmcblk0p2 quiet\n")
    try file("/proc/consoles", "tty0                 -WU (EC p  )    4:7\n")
  }

  /// A tree with a serial port, and a link to it.
  static func withPort() throws -> FakeTree {
    let tree = try FakeTree()
    try tree.device("/dev/ttyAMA0")
    try tree.link("/dev/serial0", to: "ttyAMA0")
    return tree
  }

  struct Failure: Error { var number: Int32 }

  func folder(_ name: String) throws {
    var whole = path
    for part in name.split(separator: "/") {
      whole += "/\(part)"
      guard unsafe mkdir(whole, 0o755) == 0 || errno == EEXIST else { throw Failure(number: errno) }
    }
  }

  private func parent(of name: String) throws {
    try folder(name.split(separator: "/").dropLast().joined(separator: "/"))
  }

  func file(_ name: String, _ bytes: [UInt8]) throws {
    try directory.write(bytes, to: name, mode: 0o644)
  }

  func file(_ name: String, _ text: String) throws { try file(name, Array(text.utf8)) }

  func link(_ name: String, to target: String) throws {
    try parent(of: name)
    guard unsafe symlink(target, path + name) == 0 else { throw Failure(number: errno) }
  }

  func device(_ name: String, mode: mode_t = 0o660) throws {
    try parent(of: name)
    guard unsafe mkfifo(path + name, 0o600) == 0, unsafe chmod(path + name, mode) == 0 else {
      throw Failure(number: errno)
    }
    // The kernel shows the folder of each device by the device's number.
    var status = stat()
    guard unsafe stat(path + name, &status) == 0 else { throw Failure(number: errno) }
    try link("/sys/dev/char/0:\(status.st_ino)", to: "../../devices/\(name.dropFirst("/dev/".count))")
  }

  /// A second node of a device.
  func copy(_ name: String, of device: String) throws {
    guard unsafe Glibc.link(path + device, path + name) == 0 else { throw Failure(number: errno) }
  }

  /// A process with its command line and its open files.
  func process(_ pid: Int, _ words: [String], open files: [String] = []) throws {
    let name = words[0].split(separator: "/").last.map(String.init) ?? ""
    try file("/proc/\(pid)/comm", "\(name)\n")
    try file("/proc/\(pid)/cmdline", words.map { $0 + "\0" }.joined())
    for (number, file) in files.enumerated() { try link("/proc/\(pid)/fd/\(number)", to: file) }
  }
}

extension FakeTree {
  var reader: MachineReader {
    MachineReader(
      root: path, deviceType: S_IFIFO,
      chips: { [Machine.Chip(path: "/dev/gpiochip0", label: "pins", lines: [.init(name: "BUTTON")])] },
      probe: { bus, address in bus == "/dev/i2c-1" && address == 0x42 ? .replied : .silent })
  }

  static let boardText = boardText("uart:/dev/serial0", isSimulated: false)

  private static func boardText(_ receiver: String, isSimulated: Bool) -> String {
    """
    name = "test"
    simulated = \(isSimulated)
    receiver = "\(receiver)"
    [[button]]
    name = "main"
    line = "BUTTON"
    """
  }

  func machine(_ receiver: String = "uart:/dev/serial0", isSimulated: Bool = false) throws -> Machine {
    let text = Self.boardText(receiver, isSimulated: isSimulated)
    let board = try Board(parsing: Array(text.utf8), file: "board.toml", name: "test")
    return reader.machine(for: Subject(board: board), user: Accounts.User(name: "onefix", uid: 990, gid: 980))
  }
}
