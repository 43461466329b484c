import Base
import Configuration

/// A change of the machine that removes the cause of a problem. `onefixd check --script` prints the changes as a shell
/// script for the owner.
package enum Repair: Hashable, Sendable {
  /// Gives a device to the daemon's user alone, by a udev rule.
  case own(device: String, subsystem: String)
  /// Gives the files of an LED of the kernel to the daemon's user, by a udev rule.
  case ownLED(String)
  /// Gives the files of a PWM chip and of its channels to the daemon's user, by a udev rule.
  case ownPWM(String)
  /// Gives a GPIO chip to the group `gpio` by a udev rule, and adds the daemon's user to this group.
  case share(chip: String)
  /// Adds the daemon's user to a group.
  case join(group: String)
  /// Lets the systemd service open the devices of a driver, by a drop-in file of its unit.
  case allow(driver: String)
  /// Adds a text line to the boot configuration of a Raspberry Pi.
  case boot(String)
  /// Adds a text line to the boot configuration of a Raspberry Pi, if the owner accepts the side effect that `effect`
  /// describes.
  case bootChoice(String, effect: String)
  /// Loads a kernel module at each start of the machine.
  case module(String)
  /// Stops the kernel's messages (the console) on a serial port.
  case removeConsole(port: String)
  /// Stops a systemd unit, and prevents its next start.
  case mask(unit: String)
}

extension Repair {
  static let withoutBluetooth = Repair.bootChoice("dtoverlay=disable-bt", effect: "it switches Bluetooth off")

  /// Whether the change gives permissions to the daemon's user.
  fileprivate var givesRights: Bool {
    switch self {
    case .own, .ownLED, .ownPWM, .share, .join: true
    case .allow, .boot, .bootChoice, .module, .removeConsole, .mask: false
    }
  }

  /// The kernel subsystem of the device for which the change adds a udev rule; nil if the change adds no udev rule.
  fileprivate var subsystem: String? {
    switch self {
    case .own(_, let subsystem): subsystem
    case .ownLED: "leds"
    case .ownPWM: "pwm"
    case .share: "gpio"
    case .join, .allow, .boot, .bootChoice, .module, .removeConsole, .mask: nil
    }
  }

  /// Returns the udev rule that gives a device to one user alone.
  ///
  /// The assignments with `:=` are final (udev(7)). Otherwise later rules, for example `99-com.rules` of Raspberry Pi
  /// OS, would give an I2C bus to a group. The rule also keeps ModemManager from sending modem commands to the
  /// receiver.
  static func ownershipRule(device: String, subsystem: String, user: String) -> String {
    "KERNEL==\"\(device)\", SUBSYSTEM==\"\(subsystem)\", OWNER:=\"\(user)\", GROUP:=\"root\", MODE:=\"0600\""
      + (subsystem == "tty" ? ", ENV{ID_MM_DEVICE_IGNORE}=\"1\"" : "")
  }

  /// Returns the udev rule that gives the files of an LED of the kernel to one user. No group gets a permission,
  /// because an app in this group could switch the LED off.
  static func ledRule(_ led: String, user: String) -> String {
    let files = "/sys/class/leds/\(led)/brightness /sys/class/leds/\(led)/trigger"
    return "SUBSYSTEM==\"leds\", KERNEL==\"\(led)\", "
      + "RUN+=\"/bin/chown \(user) \(files)\", RUN+=\"/bin/chmod 600 \(files)\""
  }

  /// Returns the udev rule that gives the files of a PWM chip to one user. The rule runs again after the export of a
  /// channel, because the kernel creates the files of the channel then. (Linux, drivers/pwm/sysfs.c, pwm_export_child)
  package static func pwmRule(_ chip: String, user: String) -> String {
    let folder = "/sys/class/pwm/\(chip)"
    return "SUBSYSTEM==\"pwm\", KERNEL==\"\(chip)\", "
      + "RUN+=\"/bin/sh -c 'chown \(user) \(folder)/export \(folder)/unexport \(folder)/pwm*/*'\""
  }

  static func sharingRule(chip: String) -> String {
    "SUBSYSTEM==\"gpio\", KERNEL==\"\(chip)\", GROUP:=\"gpio\", MODE:=\"0660\""
  }
}

/// The shell script with the repairs, which `onefixd check --script` prints. The owner reads the script and runs it as
/// root. After a complete run, a second run changes nothing.
package struct RepairScript {
  private let subject: Subject
  private let user: Accounts.User
  private let findings: [Finding]

  package init(_ findings: [Finding], for subject: Subject, on machine: Machine) {
    self.findings = findings
    self.subject = subject
    user = machine.user
  }

  /// The text lines of the script.
  package var lines: [String] {
    var lines = RepairScript.header
    let hasRights = findings.contains { $0.severity != .note && $0.repairs.contains(where: \.givesRights) }
    if hasRights { lines += distinctions }
    var done: Set<[String]> = []
    var subsystems: [String] = []
    for finding in findings where finding.severity != .note {
      lines += ["", RepairScript.comment("\(finding.location): \(finding.message)")]
      let commands = finding.repairs.map { self.commands(for: $0) }
      if commands.isEmpty {
        lines.append(RepairScript.comment("This script does not change it. Remedy: \(finding.remedy ?? "none")"))
      }
      // Two problems can have the same remedy.
      for command in commands where done.insert(command).inserted { lines += command }
      for subsystem in finding.repairs.compactMap(\.subsystem) where !subsystems.contains(subsystem) {
        subsystems.append(subsystem)
      }
    }
    if done.isEmpty { lines += ["", "# No change is necessary that a script can make."] }
    return lines + RepairScript.restartOfMachine + RepairScript.events(subsystems) + RepairScript.restartOfService
  }

  /// The commands with which udev applies new rules to devices that exist. Other subsystems get no event: on Raspberry
  /// Pi OS, each event of `gpiochip0` removes or adds the link `gpiochip4`.
  private static func events(_ subsystems: [String]) -> [String] {
    guard !subsystems.isEmpty else { return [] }
    let matches = subsystems.map { " --subsystem-match=\($0)" }.joined()
    return ["udevadm control --reload", "udevadm trigger --settle --action=change\(matches)"]
  }

  /// The app that runs as the daemon's user; nil if there is none. With the permissions of the daemon, this app would
  /// need no press of the button.
  private var appOfUser: String? {
    subject.configuration.identities.first { $0.identity == .uid(user.uid) }.map { "\($0.app)" }
  }

  /// The commands that end the script if the systemd unit of an app runs as the daemon's user. Only systemd knows this
  /// user, and only on the machine on which the script runs.
  private var distinctions: [String] {
    let units = subject.configuration.identities.compactMap { identified -> String? in
      guard case .unit(let unit) = identified.identity else { return nil }
      return [user.name, unit, "\(identified.app)"].map(RepairScript.quoted).joined(separator: " ")
    }
    return units.isEmpty ? [] : [""] + units.map { "distinct \($0)" }
  }

  private func commands(for repair: Repair) -> [String] {
    if repair.givesRights, let app = appOfUser { return refusal(app) }
    switch repair {
    case .own(let device, let subsystem):
      return [rule(Repair.ownershipRule(device: device, subsystem: subsystem, user: user.name))]
    case .ownLED(let led): return [rule(Repair.ledRule(led, user: user.name))]
    case .ownPWM(let chip): return [rule(Repair.pwmRule(chip, user: user.name))]
    case .share(let chip): return [rule(Repair.sharingRule(chip: chip)), join("gpio")]
    case .join(let group): return [join(group)]
    case .allow(let driver):
      let file = "/etc/systemd/system/onefix.service.d/zz-devices.conf"
      return ["[Service]", "DeviceAllow=char-\(driver) rw"].map { "add \(RepairScript.quoted($0)) \(file)" }
    case .boot(let line): return ["boot \(RepairScript.quoted(line))"]
    case .bootChoice(let line, let effect):
      return [
        "# Remove the # at the start of the next line if you want it: \(effect).",
        "# boot \(RepairScript.quoted(line))",
      ]
    case .module(let module):
      return [
        "add \(RepairScript.quoted(module)) /etc/modules-load.d/onefix.conf", "modprobe \(RepairScript.quoted(module))",
      ]
    case .removeConsole(let port): return ["remove_console \(RepairScript.quoted(port))"]
    case .mask(let unit): return ["systemctl mask --now \(RepairScript.quoted(unit))"]
    }
  }

  private func rule(_ rule: String) -> String { "add \(RepairScript.quoted(rule)) /etc/udev/rules.d/90-onefix.rules" }

  private func join(_ group: String) -> String {
    "join \(RepairScript.quoted(user.name)) \(RepairScript.quoted(group))"
  }

  private func refusal(_ app: String) -> [String] {
    [
      RepairScript.comment(
        "The user \(user.name) gets no right here, because app \(app) runs as this user and would need no press then. "
          + "Run the daemon as another user, for example onefix.")
    ]
  }

  /// Quotes a word for the shell. The function compares Unicode scalars, because the shell knows no combined
  /// characters.
  private static func quoted(_ word: String) -> String {
    "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  /// Returns a comment of one text line. Control characters, for example in names of processes, become spaces.
  private static func comment(_ text: String) -> String {
    "# " + text.unicodeScalars.map { $0.isPlain ? String($0) : " " }.joined()
  }

  /// The start of the script: its functions.
  private static let header = String(decoding: PackageResources.repair_sh, as: UTF8.self)
    .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)

  private static let restartOfMachine = """

    if [ -e "$machine" ]; then
      echo 'restart the machine: its boot configuration has changed'
      rm "$machine"
    fi
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

  private static let restartOfService = """
    # The service gets new groups and devices when it starts.
    if [ -e "$service" ]; then
      systemctl daemon-reload
      systemctl try-restart onefix.service
      rm "$service"
    fi
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

extension Board {
  /// Whether the board is a Raspberry Pi, or a HAT (a board on top of a Raspberry Pi), by the names in `Boards`.
  var isForRaspberryPi: Bool { name.hasPrefix("raspberry-pi") || name.hasSuffix("-hat") }
}
