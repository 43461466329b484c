package import Base

/// The state of a machine at one moment, for the checks. A test can create any state.
package struct Machine: Hashable, Sendable {
  /// A GPIO chip that the process can open.
  package struct Chip: Hashable, Sendable {
    /// The path of the chip's device, as in `/dev/gpiochip0`.
    package var path: String
    /// The label of the chip, as in `pinctrl-bcm2711`.
    package var label: String
    package var lines: [Line]

    package struct Line: Hashable, Sendable {
      /// The name of the GPIO line; empty for a GPIO line without a name.
      package var name: String
      /// The name under which a program has requested the GPIO line; nil if the GPIO line is free.
      package var consumer: String?
    }
  }

  /// A PWM chip of the kernel.
  package struct PWMChip: Hashable, Sendable {
    /// The name in `/sys/class/pwm`, as in `pwmchip0`.
    package var name: String
    /// The name of the chip's hardware device, as in `fe20c000.pwm`; nil if the chip has none.
    package var device: String?
    /// The count of PWM channels of the chip.
    package var channels: Int
    /// The sysfs file `export`, through which a program requests a channel.
    package var export: DeviceFile
  }

  package struct Process: Hashable, Sendable, CustomStringConvertible {
    package var pid: Int
    package var name: String

    package var description: String { "\(name), pid \(pid)" }
  }

  /// The state of a serial port: which programs use the port.
  package struct SerialPort: Hashable, Sendable {
    /// Whether the kernel writes its messages to the port.
    package var isConsole = false
    /// The process or the systemd unit that offers a login on the port; nil for none.
    package var login: String?
    /// The process that attaches a Bluetooth chip to the port, as in `hciattach, pid 412`; nil for none.
    package var bluetooth: String?
    /// The processes that have the port open, as far as the current user can see.
    package var holders: [Process] = []
  }

  /// The state of an I2C bus.
  package struct I2CBus: Hashable, Sendable {
    /// The name of the bus adapter, as in `bcm2835 (i2c@7e804000)`.
    package var adapter = ""
    /// The clock frequency in Hz; nil if unknown.
    package var frequency: Int?
    /// The kernel driver that uses the receiver's address; nil if the address is free.
    package var driver: String?
    package var probeResult = ProbeResult.notProbed

    /// The result of an attempt to address the receiver on the bus.
    package enum ProbeResult: Hashable, Sendable {
      /// A device acknowledged the receiver's address.
      case replied
      /// No device acknowledged the receiver's address.
      case silent
      /// The process has no permission to open the bus.
      case notProbed
    }
  }

  /// Whether, and by which processes, a network address or a Unix socket is in use.
  package struct ListeningAddress: Hashable, Sendable {
    package var isInUse = false
    /// The processes that listen on the address, as far as the current user can see.
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
    /// The file is on an overlay file system whose changes are lost. The value is the file system in memory with the
    /// changes; nil if the file system of the changes is not visible.
    case overlay(changes: String?)
  }

  /// The storage of each file of the gateway's state, by path. A path is missing if its storage is unknown.
  package var storage: [String: Storage] = [:]
  /// The time of the machine's clock; nil if unknown.
  package var clock: UTCTime?
  /// The version of the kernel; nil if unknown.
  package var kernel: Kernel?
  /// The user that runs the daemon.
  package var user = Accounts.User(name: "root", uid: 0, gid: 0)
  package var accounts = Accounts()
  /// The devices that the sandbox of the installed systemd service allows; nil if no sandbox restricts the daemon.
  package var sandbox: Sandbox?
  /// The owner and permissions of the configured files and of all GPIO chips that exist, by path. If the configuration
  /// names a copy of a device, the original device is also present.
  package var files: [String: DeviceFile] = [:]
  package var chips: [Chip] = []
  package var pwmChips: [PWMChip] = []
  /// The files of the kernel's LEDs, by the name of the LED.
  package var leds: [String: DeviceFile] = [:]
  /// The state of the receiver's serial port.
  package var serialPort = SerialPort()
  /// The states of the serial ports of features, by the path in the configuration.
  package var ports: [String: SerialPort] = [:]
  package var i2cBus = I2CBus()
  /// The state of each endpoint of the gateway's listeners. The key is the address with its port, or the path of the
  /// socket.
  package var listeningAddresses: [String: ListeningAddress] = [:]
  /// The running processes of programs that features ask for, by the name of the program.
  package var programs: [String: [Process]] = [:]
  /// The drivers of Bluetooth chips whose serial ports have no tty.
  package var bluetoothDrivers: [String] = []
  /// The kernel drivers that keep the state of a GPIO output after the daemon releases the GPIO line, as in
  /// `pinctrl-rp1`.
  package var persistentPins: Set<String> = []

  package init() {}

  /// Returns the folder of a file with an absolute path. The result ends with a slash.
  package static func folder(of path: String) -> String {
    String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// The files of the GPIO chips, sorted by path.
  var chipFiles: [DeviceFile] {
    files.values.filter { $0.path.hasPrefix("/dev/gpiochip") }.sorted { $0.path < $1.path }
  }
}

extension Machine.Kernel {
  /// Parses a release as `uname -r` prints it, as in `6.1.0-50-amd64`. Returns nil if the text does not begin with a
  /// major and a minor version number.
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

  /// The path without symbolic links, as in `/dev/ttyAMA0` for `/dev/serial0`. A device has the path of the kernel's
  /// own node, so that two names of one device have the same path.
  package var path: String
  /// The path of the file itself if the file is a copy of the kernel's device node; otherwise nil.
  package var copy: String?
  package var kind = Kind.device
  package var owner: UInt32 = 0
  package var group: UInt32 = 0
  /// The permission bits, with set-user-ID, set-group-ID and the sticky bit.
  package var mode: UInt32 = 0o660
  /// The names of the device's driver in `/proc/devices`, and the major number as text; empty if unknown.
  package var drivers: [String] = []

  /// The path of the file that has the permissions: the copy of the device node if one exists.
  var node: String { copy ?? path }

  /// The driver by which the sandbox of a systemd service can allow the device; nil if unknown. Several drivers can
  /// share a major number, for example `tty` and `ttyS`.
  var driver: String? {
    drivers.filter { name.hasPrefix($0) }.max { $0.count < $1.count } ?? drivers.first
  }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Whether the file is the terminal end of a pseudo-terminal. (Linux, Documentation/admin-guide/devices.txt: majors
  /// 136-143, which devpts shows in /dev/pts)
  package var isPseudoTerminal: Bool { path.hasPrefix("/dev/pts/") }

  /// Whether a new file in this folder gets the folder's group. (inode(7), "The set-group-ID bit")
  package var isSetGroupID: Bool { mode & 0o2000 != 0 }

  package func isReadable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o4, to: user, in: accounts) }

  package func isWritable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o2, to: user, in: accounts) }

  /// Whether a user can reach the files in this folder (the execute permission).
  package func isSearchable(by user: Accounts.User, in accounts: Accounts) -> Bool {
    grants(0o1, to: user, in: accounts)
  }

  /// Whether a user can read and write the file.
  package func isOpen(to user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o6, to: user, in: accounts) }

  /// Whether only root and this user have permissions on the file. The group of the user has none, because the apps can
  /// be its members.
  func isSecret(to user: Accounts.User) -> Bool { [0, user.uid].contains(owner) && mode & 0o077 == 0 }

  /// Whether a user has all these permissions on the file (bits as in `0o6`). (path_resolution(7), "Permissions")
  private func grants(_ rights: UInt32, to user: Accounts.User, in accounts: Accounts) -> Bool {
    if user.uid == 0 { return true }
    let shift: UInt32 =
      if user.uid == owner { 6 } else if accounts.groups(of: user).contains(group) { 3 } else { 0 }
    return mode >> shift & rights == rights
  }
}
