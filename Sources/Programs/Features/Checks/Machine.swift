package import Base

/// The state of the machine at one moment: devices, users, processes and file systems. The command `onefixd check`
/// reads this state, and a test can create any state.
package struct Machine: Hashable, Sendable {
  /// A GPIO chip that the check has permission to open.
  package struct Chip: Hashable, Sendable {
    package var path: String
    /// The label that the kernel driver gives the chip, as in `pinctrl-bcm2711`.
    package var label: String
    package var lines: [Line]

    package struct Line: Hashable, Sendable {
      /// The name of the GPIO line in the device tree; empty for a GPIO line without a name.
      package var name: String
      /// The name under which a program has requested the GPIO line; nil if the GPIO line is free.
      package var consumer: String?
    }
  }

  /// A PWM chip in `/sys/class/pwm`. One channel of the chip can drive a buzzer.
  package struct PWMChip: Hashable, Sendable {
    /// The name in `/sys/class/pwm`, as in `pwmchip0`.
    package var name: String
    /// The name of the hardware device in the device tree, as in `fe20c000.pwm`; nil if the chip has none.
    package var device: String?
    package var channels: Int
    /// The sysfs file `export`, through which a program requests a channel.
    package var export: DeviceFile
  }

  package struct Process: Hashable, Sendable, CustomStringConvertible {
    package var pid: Int
    package var name: String

    package var description: String { "\(name), pid \(pid)" }
  }

  /// The programs that use a serial port, and whether the kernel uses the port.
  package struct SerialPort: Hashable, Sendable {
    /// Whether the kernel writes its messages to the port.
    package var isConsole = false
    /// The process or the systemd unit that offers a login on the port; nil for none.
    package var login: String?
    /// The name by which that process or unit calls the port, as in `serial0`; nil without a login.
    package var loginPort: String?
    /// The process that attaches a Bluetooth chip to the port, as in `hciattach, pid 412`; nil for none.
    package var bluetooth: String?
    /// The processes that have the port open. Without root, the check sees only processes of its own user.
    package var holders: [Process] = []
  }

  /// An I2C bus at which a receiver is configured.
  package struct I2CBus: Hashable, Sendable {
    /// The name of the I2C controller, as in `bcm2835 (i2c@7e804000)`; empty if unknown.
    package var adapter = ""
    /// The clock frequency of the bus in Hz; nil if unknown.
    package var frequency: Int?
    /// The kernel driver that has reserved the receiver's I2C address; nil if the address is free.
    package var driver: String?
    package var probeResult = ProbeResult.notProbed

    /// Whether the receiver acknowledged its I2C address.
    package enum ProbeResult: Hashable, Sendable {
      /// A device acknowledged the receiver's address.
      case replied
      /// No device acknowledged the receiver's address.
      case silent
      /// The check did not address the receiver, because the check may not open the bus, or because a kernel driver
      /// uses the address.
      case notProbed
    }
  }

  /// The use of a network address or of the path of a Unix socket: whether a process listens there.
  package struct ListeningAddress: Hashable, Sendable {
    package var isInUse = false
    /// The processes that listen on the address. Without root, the check sees only processes of its own user.
    package var holders: [Process] = []
  }

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

  /// The kind of storage of a file, which decides whether a change of the file survives a restart of the machine.
  package enum Storage: Hashable, Sendable {
    case durable
    case readOnly
    /// The file is in memory, so a restart loses the file. The value is the type of the file system (as in `tmpfs`) or
    /// the name of the RAM disk (as in `zram0`).
    case memory(String)
    /// The file is on an overlay file system that loses all changes at a restart. The value is the file system in
    /// memory with the changes; nil if this file system is not visible.
    case overlay(changes: String?)
  }

  /// The kind of storage of each file with the gateway's state. The key is the path. A path is missing if its storage
  /// is unknown.
  package var storage: [String: Storage] = [:]
  /// The time of the wall clock; nil if unknown.
  package var clock: UTCTime?
  package var kernel: Kernel?
  /// The Unix user that runs the daemon.
  package var user = Accounts.User(name: "root", uid: 0, gid: 0)
  package var accounts = Accounts()
  /// The devices that the sandbox of the installed systemd service allows; nil if the daemon runs without such a
  /// sandbox.
  package var sandbox: Sandbox?
  /// The configured files, and all GPIO chips of the machine, each with its owner and permissions. The key is the path.
  /// If a configured file is a copy of a device node, the dictionary also contains the node of the kernel.
  package var files: [String: DeviceFile] = [:]
  package var chips: [Chip] = []
  package var pwmChips: [PWMChip] = []
  /// The sysfs file `brightness` of each LED that the kernel controls. The key is the name of the LED.
  package var leds: [String: DeviceFile] = [:]
  package var serialPort = SerialPort()
  /// The serial ports that features use, for example for the console. The key is the path in the configuration.
  package var ports: [String: SerialPort] = [:]
  package var i2cBus = I2CBus()
  /// The use of the addresses on which the gateway listens. The key is the address with its port, or the path of the
  /// Unix socket.
  package var listeningAddresses: [String: ListeningAddress] = [:]
  /// The running processes of the programs that a feature conflicts with, for example `gpsd`. The key is the name of
  /// the program.
  package var programs: [String: [Process]] = [:]
  /// The Bluetooth drivers that use a serial port of this machine. The kernel creates no tty for such a port.
  package var bluetoothDrivers: [String] = []
  /// The GPIO drivers that keep the state of an output after the daemon has released the GPIO line, as in
  /// `pinctrl-rp1`. Each element is the beginning of the labels of their chips.
  package var persistentPins: Set<String> = []

  package init() {}

  /// Returns the folder of a file with an absolute path. The result ends with a slash.
  package static func folder(of path: String) -> String {
    String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// The device files of the GPIO chips, as in `/dev/gpiochip0`, sorted by path.
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

/// The path, the owner and the permissions of a file. Most of these files are devices.
package struct DeviceFile: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case device
    /// Any file that is not a device, for example a folder or a socket.
    case other
  }

  /// The path without symbolic links, as in `/dev/ttyAMA0` for `/dev/serial0`. A device has the path of the kernel's
  /// own node, so that two names of one device have the same path.
  package var path: String
  /// The path of the file if the file is a copy of the kernel's device node, made for example with `mknod`; otherwise
  /// nil.
  package var copy: String?
  /// The name in `/dev` of the link that udev makes for one USB adapter, as in `serial/by-id/usb-u-blox-if00`; nil if the
  /// configuration does not name the device by such a link.
  package var persistentLink: String?
  package var kind = Kind.device
  package var owner: UInt32 = 0
  package var group: UInt32 = 0
  /// The permission bits, with set-user-ID, set-group-ID and the sticky bit.
  package var mode: UInt32 = 0o660
  /// The names of the drivers with the device's major number in `/proc/devices`, and then this number as text; empty if
  /// unknown.
  package var drivers: [String] = []

  /// The path of the file to open: the copy of the device node if there is one, otherwise `path`.
  var node: String { copy ?? path }

  /// The name of the device's driver in `/proc/devices`, for the setting `DeviceAllow` of systemd; nil if unknown. If
  /// drivers share a major number, as `tty` and `ttyS` do, the result is the longest name with which the file's name
  /// begins.
  var driver: String? {
    drivers.filter { name.hasPrefix($0) }.max { $0.count < $1.count } ?? drivers.first
  }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// The condition of a udev rule for this device. The number of a USB adapter can change, so a persistent link is better
  /// than the kernel's name. (udev(7), SYMLINK; the links come from 60-serial.rules)
  var ruleCondition: String { persistentLink.map { "SYMLINK==\"\($0)\"" } ?? "KERNEL==\"\(name)\"" }

  /// Whether the file is the terminal end of a pseudo-terminal. (Linux, Documentation/admin-guide/devices.txt: majors
  /// 136-143, which devpts shows in /dev/pts)
  package var isPseudoTerminal: Bool { path.hasPrefix("/dev/pts/") }

  /// Whether a new file in this folder gets the folder's group. (inode(7), "The set-group-ID bit")
  package var isSetGroupID: Bool { mode & 0o2000 != 0 }

  package func isReadable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o4, to: user, in: accounts) }

  package func isWritable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o2, to: user, in: accounts) }

  /// Whether a user can open files in this folder, by the execute permission.
  package func isSearchable(by user: Accounts.User, in accounts: Accounts) -> Bool {
    grants(0o1, to: user, in: accounts)
  }

  /// Whether a user can both read and write the file.
  package func isOpen(to user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o6, to: user, in: accounts) }

  /// Whether only root and this user have permissions on the file. Even the group of the user has no permission,
  /// because apps can be members of this group.
  func isSecret(to user: Accounts.User) -> Bool { [0, user.uid].contains(owner) && mode & 0o077 == 0 }

  /// Whether a user has all permissions in a mask, as in `0o6` for reading and writing. (path_resolution(7),
  /// "Permissions")
  private func grants(_ rights: UInt32, to user: Accounts.User, in accounts: Accounts) -> Bool {
    if user.uid == 0 { return true }
    let shift: UInt32 =
      if user.uid == owner { 6 } else if accounts.groups(of: user).contains(group) { 3 } else { 0 }
    return mode >> shift & rights == rights
  }
}
