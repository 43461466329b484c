import Base
import CResources
import Configuration

/// A change of the machine that removes a problem which `onefixd check` has found. The command `onefixd check --script`
/// prints such changes as a shell script for the owner.
package enum Repair: Hashable, Sendable {
  /// A udev rule that makes the daemon's user the owner of a device, and gives no other user access. The first value is
  /// the condition of the rule (`DeviceFile.ruleCondition`).
  case own(String, subsystem: String)
  /// A udev rule that makes the daemon's user the owner of the sysfs files of an LED. The value is the name of the LED.
  case ownLED(String)
  /// A udev rule that makes the daemon's user the owner of the sysfs files of a PWM chip and its channels. The value is
  /// the name of the chip.
  case ownPWM(String)
  /// A udev rule that gives a GPIO chip to the group `gpio`, and the membership of the daemon's user in this group.
  case share(chip: String)
  /// The membership of the daemon's user in a group.
  case join(group: String)
  /// A drop-in file that lets the daemon's systemd service open the devices of a driver.
  case allow(driver: String)
  /// A new text line in the boot configuration (`config.txt`) of a Raspberry Pi.
  case boot(String)
  /// A new text line in the boot configuration (`config.txt`) of a Raspberry Pi, which the script contains only as a
  /// comment. The first value is the text line. The text `effect` describes the side effect that the owner must accept.
  case bootChoice(String, effect: String)
  /// A kernel module to load at each start of the machine.
  case module(String)
  /// The removal of a serial port from the kernel's consoles, so that the kernel writes no messages to the port.
  case removeConsole(port: String)
  /// A systemd unit to stop and to mask, so that systemd does not start the unit again.
  case mask(unit: String)
}

extension Repair {
  /// Returns the changes that make an I2C bus. On Raspberry Pi OS, the bus needs a line of `config.txt` and the module.
  static func enabling(bus path: String, on board: Board) -> [Repair] {
    (board.isForRaspberryPi && path == "/dev/i2c-1" ? [.boot("dtparam=i2c_arm=on")] : []) + [.module("i2c-dev")]
  }

  static let withoutBluetooth = Repair.bootChoice("dtoverlay=disable-bt", effect: "it switches Bluetooth off")

  fileprivate var givesRights: Bool {
    switch self {
    case .own, .ownLED, .ownPWM, .share, .join: true
    case .allow, .boot, .bootChoice, .module, .removeConsole, .mask: false
    }
  }

  /// The kernel subsystem in the udev rule of the change, as in `gpio`; nil if the change adds no udev rule.
  fileprivate var subsystem: String? {
    switch self {
    case .own(_, let subsystem): subsystem
    case .ownLED: "leds"
    case .ownPWM: "pwm"
    case .share: "gpio"
    case .join, .allow, .boot, .bootChoice, .module, .removeConsole, .mask: nil
    }
  }

  /// Returns the udev rule that makes one user the owner of a device, and gives no other user access.
  ///
  /// The assignments with `:=` are final (udev(7)). Otherwise later rules, for example `99-com.rules` of Raspberry Pi
  /// OS, would give an I2C bus to a group. The rule also keeps ModemManager from sending modem commands to the
  /// receiver.
  static func ownershipRule(_ condition: String, subsystem: String, user: String) -> String {
    "\(condition), SUBSYSTEM==\"\(subsystem)\", OWNER:=\"\(user)\", GROUP:=\"root\", MODE:=\"0600\""
      + (subsystem == "tty" ? ", ENV{ID_MM_DEVICE_IGNORE}=\"1\"" : "")
  }

  /// Returns the udev rule that makes one user the owner of an LED's sysfs files. No group gets access, because the
  /// apps are in the daemon's group, and an app could switch the LED off.
  static func ledRule(_ led: String, user: String) -> String {
    let files = "/sys/class/leds/\(led)/brightness /sys/class/leds/\(led)/trigger"
    return "SUBSYSTEM==\"leds\", KERNEL==\"\(led)\", "
      + "RUN+=\"/bin/chown \(user) \(files)\", RUN+=\"/bin/chmod 600 \(files)\""
  }

  /// Returns the udev rule that makes one user the owner of a PWM chip's sysfs files. The rule runs again after the
  /// export of a channel, because the kernel creates the channel's files at that time. (Linux, drivers/pwm/sysfs.c,
  /// pwm_export_child)
  package static func pwmRule(_ chip: String, user: String) -> String {
    let folder = "/sys/class/pwm/\(chip)"
    return "SUBSYSTEM==\"pwm\", KERNEL==\"\(chip)\", "
      + "RUN+=\"/bin/sh -c 'chown \(user) \(folder)/export \(folder)/unexport \(folder)/pwm*/*'\""
  }

  static func sharingRule(chip: String) -> String {
    "SUBSYSTEM==\"gpio\", KERNEL==\"\(chip)\", GROUP:=\"gpio\", MODE:=\"0660\""
  }
}

/// The shell script that `onefixd check --script` prints, with the changes that remove the problems found. The owner
/// reads the script, and then runs the script as root. A second run changes nothing.
package struct RepairScript {
  private let subject: Subject
  private let user: Accounts.User
  private let findings: [Finding]

  package init(_ findings: [Finding], for subject: Subject, on machine: Machine) {
    self.findings = findings
    self.subject = subject
    user = machine.user
  }

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

  /// Returns the shell commands that apply new udev rules to the existing devices of some kernel subsystems.
  ///
  /// Devices of other subsystems get no udev event: on Raspberry Pi OS, each event of `gpiochip0` removes or adds the
  /// link `gpiochip4`.
  private static func events(_ subsystems: [String]) -> [String] {
    guard !subsystems.isEmpty else { return [] }
    let matches = subsystems.map { " --subsystem-match=\($0)" }.joined()
    return ["udevadm control --reload", "udevadm trigger --settle --action=change\(matches)"]
  }

  /// An app that runs as the daemon's user; nil if there is none. The script gives this user no permissions, because
  /// the app could then read the receiver without a press of the button.
  private var appOfUser: String? {
    subject.configuration.identities.first { $0.identity == .uid(user.uid) }.map { "\($0.app)" }
  }

  /// The shell commands that end the script if an app's systemd unit runs as the daemon's user. The script itself
  /// compares the users, because the user of a unit is known only on the machine on which the script runs.
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
    case .own(let condition, let subsystem):
      return [rule(Repair.ownershipRule(condition, subsystem: subsystem, user: user.name))]
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

  /// Quotes a word for the shell. The function compares Unicode scalars, because a Swift character can hide a quotation
  /// mark in a combined character.
  private static func quoted(_ word: String) -> String {
    "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  /// Returns a shell comment of one text line. Control characters, for example in names of processes, become spaces.
  private static func comment(_ text: String) -> String {
    "# " + text.unicodeScalars.map { $0.isPlain ? String($0) : " " }.joined()
  }

  /// The beginning of the script, which defines its shell functions.
  private static let header = unsafe String(cString: onefix_repair_sh())
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
  /// Whether the board's name in the folder `Boards` is that of a Raspberry Pi, or of a HAT (a board on top of a
  /// Raspberry Pi).
  var isForRaspberryPi: Bool { name.hasPrefix("raspberry-pi") || name.hasSuffix("-hat") }
}
