package import Base

/// The state of a machine at one moment, which the checks examine. A test can create any state.
package struct Machine: Hashable, Sendable {
  /// A GPIO chip that the process can open.
  package struct Chip: Hashable, Sendable {
    /// The device, as in `/dev/gpiochip0`.
    package var path: String
    /// The label, as in `pinctrl-bcm2711`.
    package var label: String
    package var lines: [Line]

    package struct Line: Hashable, Sendable {
      /// The name of the GPIO line; empty for a GPIO line without a name.
      package var name: String
      /// The consumer that has requested the GPIO line; nil if the GPIO line is free.
      package var consumer: String?
    }
  }

  /// A PWM chip of the kernel.
  package struct PWMChip: Hashable, Sendable {
    /// The name in `/sys/class/pwm`, as in `pwmchip0`.
    package var name: String
    /// The name of the chip's device, as in `fe20c000.pwm`; nil if the chip has none.
    package var device: String?
    /// The number of channels.
    package var channels: Int
    /// The file that exports a channel.
    package var export: DeviceFile

    package init(name: String, device: String?, channels: Int, export: DeviceFile) {
      self.name = name
      self.device = device
      self.channels = channels
      self.export = export
    }
  }

  /// A running process.
  package struct Process: Hashable, Sendable, CustomStringConvertible {
    package var pid: Int
    package var name: String

    package var description: String { "\(name), pid \(pid)" }
  }

  /// The state of a serial port.
  package struct SerialPort: Hashable, Sendable {
    /// Whether the kernel writes its messages to the port.
    package var isConsole = false
    /// The login on the port: a process that offers a login, or a systemd unit that starts a login.
    package var login: String?
    /// The process that attaches a Bluetooth chip to the port, as in `hciattach, pid 412`.
    package var bluetooth: String?
    /// The processes that have the port open and that the current user can see.
    package var holders: [Process] = []
  }

  /// The state of an I2C bus.
  package struct I2CBus: Hashable, Sendable {
    /// The adapter, as in `bcm2835 (i2c@7e804000)`.
    package var adapter = ""
    /// The clock frequency in Hz; nil if unknown.
    package var frequency: Int?
    /// The kernel driver that uses the receiver's address; nil if the address is free.
    package var driver: String?
    package var probeResult = ProbeResult.notProbed

    /// The result of probing the receiver's address.
    package enum ProbeResult: Hashable, Sendable {
      /// A device acknowledged the receiver's address.
      case replied
      /// No device acknowledged the receiver's address.
      case silent
      /// The process has no permission to probe the bus.
      case notProbed
    }
  }

  /// The state of a network address on which the gateway listens.
  package struct ListeningAddress: Hashable, Sendable {
    package var isInUse = false
    /// The processes that listen on the address and that the current user can see.
    package var holders: [Process] = []
  }

  /// A version of the Linux kernel, as in `6.1`.
  package struct Kernel: Hashable, Comparable, Sendable, CustomStringConvertible {
    let major: Int
    let minor: Int

    /// The first Linux version with the socket option `SO_PEERPIDFD`, which identifies the process that connected to a
    /// Unix socket.
    static let firstWithPeerDescriptors = Kernel(major: 6, minor: 5)

    package var description: String { "\(major).\(minor)" }

    package static func < (left: Kernel, right: Kernel) -> Bool {
      (left.major, left.minor) < (right.major, right.minor)
    }
  }

  /// The storage of a file: whether a change of the file survives the next stop of the machine.
  package enum Storage: Hashable, Sendable {
    case durable
    case readOnly
    /// The file is in memory. The value is the type of the file system, or the name of the RAM disk.
    case memory(String)
    /// The file is on an overlay. The value is the file system in memory that has the changes; nil if the file system
    /// of the changes is not visible.
    case overlay(changes: String?)
  }

  /// The storage of the files of the state, by path. A path is missing if its storage is unknown.
  package var storage: [String: Storage] = [:]
  /// The time of the machine's clock; nil if unknown.
  package var clock: UTCTime?
  /// The version of the kernel; nil if unknown.
  package var kernel: Kernel?
  /// The daemon's user.
  package var user = Accounts.User(name: "root", uid: 0, gid: 0)
  package var accounts = Accounts()
  /// The devices that the sandbox of the installed service allows; nil if no sandbox restricts the daemon.
  package var sandbox: Sandbox?
  /// The existing files by their paths in the configuration, the kernel's own node of each device that the
  /// configuration names by a copy, and the nodes of all GPIO chips.
  package var files: [String: DeviceFile] = [:]
  package var chips: [Chip] = []
  package var pwmChips: [PWMChip] = []
  /// The existing files of the kernel's LEDs, by the name of the LED.
  package var leds: [String: DeviceFile] = [:]
  /// The receiver's serial port.
  package var serialPort = SerialPort()
  /// The serial ports of the features, by their paths in the configuration.
  package var ports: [String: SerialPort] = [:]
  package var i2cBus = I2CBus()
  /// The addresses and the sockets of the gateway's listeners. The key is the address with its port, or the path.
  package var listeningAddresses: [String: ListeningAddress] = [:]
  /// The running processes of programs that features name, by the name of the program.
  package var programs: [String: [Process]] = [:]
  /// The drivers of Bluetooth chips whose serial ports have no tty.
  package var bluetoothDrivers: [String] = []
  /// The kernel drivers that keep the state of an output after the daemon releases the GPIO line, as in `pinctrl-rp1`.
  package var persistentPins: Set<String> = []

  package init() {}

  /// Returns the folder of a file with an absolute path. The folder has a trailing slash.
  package static func folder(of path: String) -> String {
    String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// The files of the GPIO chips, sorted by path.
  var chipFiles: [DeviceFile] {
    files.values.filter { $0.path.hasPrefix("/dev/gpiochip") }.sorted { $0.path < $1.path }
  }
}

extension Machine.Kernel {
  /// Parses a release as `uname -r` prints it, as in `6.1.0-50-amd64`; nil if the text does not begin with a major and a
  /// minor version number.
  init?(release: some StringProtocol) {
    let parts = release.split(separator: ".", maxSplits: 2)
    guard parts.count >= 2, let major = Int(parts[0]), let minor = Int(parts[1].prefix { $0.isASCII && $0.isNumber })
    else { return nil }
    self.init(major: major, minor: minor)
  }
}

/// The kind, the owner and the permissions of a file.
package struct DeviceFile: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case device
    /// Any file that is not a device, for example a folder or a socket.
    case other
  }

  /// The path after all symbolic links are resolved, as in `/dev/ttyAMA0` for `/dev/serial0`. A device has the path of
  /// the kernel's own node, so that two names of one device have one path.
  package var path: String
  /// The path of the file itself if it is a copy of the kernel's own node; otherwise nil.
  package var copy: String?
  package var kind = Kind.device
  package var owner: UInt32 = 0
  package var group: UInt32 = 0
  /// The permission bits, with set-user-ID, set-group-ID and the sticky bit.
  package var mode: UInt32 = 0o660
  /// The names of the device's driver in `/proc/devices`, and its major number; empty if they are unknown.
  package var drivers: [String] = []

  /// The path of the file that has the permissions.
  var node: String { copy ?? path }

  /// The driver by which the sandbox of a service can allow the device. Several drivers can share a major number, for
  /// example `tty` and `ttyS`.
  var driver: String? {
    drivers.filter { name.hasPrefix($0) }.max { $0.count < $1.count } ?? drivers.first
  }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Whether the file is the terminal end of a pseudo-terminal. (Linux, Documentation/admin-guide/devices.txt: majors
  /// 136-143, which devpts shows in /dev/pts)
  package var isPseudoTerminal: Bool { path.hasPrefix("/dev/pts/") }

  /// Whether a file that is created in this folder gets the folder's group. (inode(7), "The set-group-ID bit")
  package var isSetGroupID: Bool { mode & 0o2000 != 0 }

  package func isReadable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o4, to: user, in: accounts) }

  package func isWritable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o2, to: user, in: accounts) }

  /// Whether a user can reach the files in this folder.
  package func isSearchable(by user: Accounts.User, in accounts: Accounts) -> Bool {
    grants(0o1, to: user, in: accounts)
  }

  /// Whether a user can read and write the file.
  package func isOpen(to user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o6, to: user, in: accounts) }

  /// Whether only root and the given user have permissions on the file. The group of the user has none, because the
  /// apps can be its members.
  func isSecret(to user: Accounts.User) -> Bool { [0, user.uid].contains(owner) && mode & 0o077 == 0 }

  /// Whether a user has all the given permissions on the file. (path_resolution(7), "Permissions")
  private func grants(_ rights: UInt32, to user: Accounts.User, in accounts: Accounts) -> Bool {
    if user.uid == 0 { return true }
    let shift: UInt32 =
      if user.uid == owner { 6 } else if accounts.groups(of: user).contains(group) { 3 } else { 0 }
    return mode >> shift & rights == rights
  }
}
