/// A machine as checks see it: what was found at one moment, described so that a test can make one up.
package struct Machine: Hashable, Sendable {
  /// A GPIO chip that could be opened.
  package struct Chip: Hashable, Sendable {
    /// As in `/dev/gpiochip0`.
    package var path: String
    /// As in `pinctrl-bcm2711`.
    package var label: String
    package var lines: [Line]

    package struct Line: Hashable, Sendable {
      /// Empty where it has none.
      package var name: String
      /// Who holds it; nil while nobody does.
      package var consumer: String?

      package init(name: String, consumer: String? = nil) {
        self.name = name
        self.consumer = consumer
      }
    }

    package init(path: String, label: String, lines: [Line]) {
      self.path = path
      self.label = label
      self.lines = lines
    }
  }

  /// A process, as far as it can be seen.
  package struct Process: Hashable, Sendable, CustomStringConvertible {
    package var pid: Int
    /// As in `gpsd`.
    package var name: String

    package init(pid: Int, name: String) {
      self.pid = pid
      self.name = name
    }

    package var description: String { "\(name), pid \(pid)" }
  }

  /// A serial port beside its file.
  package struct SerialPort: Hashable, Sendable {
    /// The kernel writes its messages to it.
    package var isConsole = false
    /// What offers a login on it: a process, or the name of a unit that is to start one.
    package var login: String?
    /// What attaches a Bluetooth chip to it, as in `hciattach, pid 412`.
    package var bluetooth: String?
    /// Who has it open, as far as that can be seen.
    package var holders: [Process] = []

    package init() {}
  }

  /// An I2C bus beside its file.
  package struct I2CBus: Hashable, Sendable {
    /// As in `bcm2835 (i2c@7e804000)`.
    package var adapter = ""
    /// Hz; nil where it is not known.
    package var frequency: Int?
    /// The kernel's driver that has the receiver's address.
    package var driver: String?
    package var answer = Answer.unasked

    /// What the receiver's address said.
    package enum Answer: Hashable, Sendable {
      case answered
      case silent
      /// Whoever checks may not ask.
      case unasked
    }

    package init() {}
  }

  /// Where the owners' page is to be.
  package struct PageAddress: Hashable, Sendable {
    /// Somebody listens there already.
    package var isTaken = false
    /// Who, as far as that can be seen.
    package var holders: [Process] = []

    package init() {}
  }

  /// Where clients of gpsd look for one.
  package struct GPSDAddress: Hashable, Sendable {
    /// Somebody listens there already.
    package var isTaken = false
    /// Who, as far as that can be seen.
    package var holders: [Process] = []
    /// Each gpsd that runs, wherever it listens.
    package var others: [Process] = []

    package init() {}
  }

  /// A version of Linux, as in `6.1`.
  package struct Kernel: Hashable, Comparable, Sendable, CustomStringConvertible {
    let major: Int
    let minor: Int

    /// The first that gives a descriptor of the process that connected to a Unix socket, `SO_PEERPIDFD`.
    static let firstWithPeerDescriptors = Kernel(major: 6, minor: 5)

    package init(major: Int, minor: Int) {
      self.major = major
      self.minor = minor
    }

    /// Returns nil unless the text begins as `uname -r` does, as in `6.1.0-50-amd64`.
    package init?(release: some StringProtocol) {
      let parts = release.split(separator: ".", maxSplits: 2)
      guard parts.count >= 2, let major = Int(parts[0]), let minor = Int(parts[1].prefix { $0.isASCII && $0.isNumber })
      else { return nil }
      self.init(major: major, minor: minor)
    }

    package var description: String { "\(major).\(minor)" }

    package static func < (left: Kernel, right: Kernel) -> Bool {
      (left.major, left.minor) < (right.major, right.minor)
    }
  }

  /// Nil where it is not known.
  package var kernel: Kernel?
  /// The daemon's user, and what it may.
  package var user = Accounts.User(name: "root", uid: 0, gid: 0)
  package var accounts = Accounts()
  /// Device files by the paths that the configuration names, those that there are; and every GPIO chip's.
  package var files: [String: DeviceFile] = [:]
  package var chips: [Chip] = []
  /// LEDs of the kernel that there are, by name.
  package var leds: [String: DeviceFile] = [:]
  package var serialPort = SerialPort()
  /// The same of the console's port.
  package var consolePort = SerialPort()
  /// The same of the apps' ports, by the paths that the configuration names.
  package var protocolPorts: [String: SerialPort] = [:]
  package var i2cBus = I2CBus()
  package var gpsdAddress = GPSDAddress()
  package var pageAddress = PageAddress()
  /// Bluetooth chips that the kernel has on a serial port of their own, by their driver.
  package var bluetoothDrivers: [String] = []
  /// Pin drivers that leave an output as it was when nobody holds it any more, as in `pinctrl-rp1`.
  package var persistentPins: Set<String> = []

  package init() {}

  /// The GPIO chips' files.
  var chipFiles: [DeviceFile] {
    files.values.filter { $0.path.hasPrefix("/dev/gpiochip") }.sorted { $0.path < $1.path }
  }
}

/// A device's file, and who may use it.
package struct DeviceFile: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case device
    /// Anything else: a file, a folder, a socket.
    case other
  }

  /// What the configuration's path leads to in the end, as in `/dev/ttyAMA0` for `/dev/serial0`.
  package var path: String
  package var kind: Kind
  package var owner: UInt32
  package var group: UInt32
  /// The nine bits of permission.
  package var mode: UInt32

  package init(path: String, kind: Kind = .device, owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32 = 0o660) {
    self.path = path
    self.kind = kind
    self.owner = owner
    self.group = group
    self.mode = mode
  }

  /// The last part of the path, as in `ttyAMA0`.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Whether it is the end of a pseudo-terminal that a program opens as a terminal. (Linux,
  /// Documentation/admin-guide/devices.txt: majors 136-143, which devpts shows in /dev/pts)
  package var isPseudoTerminal: Bool { path.hasPrefix("/dev/pts/") }

  /// Whether a user may read it.
  func isReadable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o4, to: user, in: accounts) }

  /// Whether a user may write it.
  func isWritable(by user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o2, to: user, in: accounts) }

  /// Whether a user may read and write it.
  package func isOpen(to user: Accounts.User, in accounts: Accounts) -> Bool { grants(0o6, to: user, in: accounts) }

  /// Whether a user has all of some rights. (path_resolution(7), "Permissions")
  private func grants(_ rights: UInt32, to user: Accounts.User, in accounts: Accounts) -> Bool {
    if user.uid == 0 { return true }
    let shift: UInt32 =
      if user.uid == owner { 6 } else if accounts.groups(of: user).contains(group) { 3 } else { 0 }
    return mode >> shift & rights == rights
  }
}
