import Gateway
import Hardware
import LinuxHardware
import OperatingSystem

extension Fault {
  static let soundChipAbsent = Fault(
    "sound-pwm", .warning, "the buzzer: this machine has no PWM chip {chip}, so nothing sounds",
    remedy: "{remedy}")
  static let soundChannelAbsent = Fault(
    "sound-pwm", .warning, "the buzzer: {chip} has no channel {channel}, so nothing sounds",
    remedy: "it has {count} channels, counted from 0")
  static let soundDenied = Fault(
    "sound-denied", .warning, "the buzzer: user {user} has no permission to write {path}",
    remedy: "add a udev rule: {rule}")
}

extension SoundFeature: CheckedFeature {
  var objects: [MachineObject] { if case .pwm = wiring { [.pwmChips] } else { [] } }

  var lineUses: [LineUse] {
    if case .line(let line) = wiring { [LineUse(name: "the buzzer", line: line, location: location)] } else { [] }
  }

  func findings(about subject: Subject, on machine: Machine) -> [Finding] {
    guard case .pwm(let name, let channel, _) = wiring else { return [] }
    guard let chip = machine.pwmChips.first(where: { $0.name == name || $0.device == name }) else {
      let known = machine.pwmChips.map { chip in chip.name + (chip.device.map { " (\($0))" } ?? "") }
      let remedy =
        known.isEmpty ? PWMChips.absentRemedy : "this machine has: \(known.joined(separator: ", "))"
      return [Finding(.soundChipAbsent, at: location, ["chip": name, "remedy": remedy])]
    }
    guard channel < chip.channels else {
      let values = ["chip": chip.name, "channel": "\(channel)", "count": "\(chip.channels)"]
      return [Finding(.soundChannelAbsent, at: location, values)]
    }
    guard chip.export.isWritable(by: machine.user, in: machine.accounts) else {
      let user = machine.user.name
      let values = ["user": user, "path": chip.export.path, "rule": Repair.pwmRule(chip.name, user: user)]
      return [Finding(.soundDenied, at: location, values, repairs: [.ownPWM(chip.name)])]
    }
    return []
  }
}

extension SoundFeature: Feature {
  var buzzer: GatewayDependencies.Buzzer? {
    GatewayDependencies.Buzzer(output(), profile, minuteOfDay: LocalTime.minuteOfDay)
  }

  /// Returns the output that switches the buzzer.
  /// - Parameter chips: The folder of all PWM chips, which a test can replace.
  func output(chips: String = "/sys/class/pwm") -> any PowerSwitch {
    switch wiring {
    case .line(let line): GPIOPowerSwitch(unopened: line)
    case .pwm(let chip, let channel, let frequency):
      PWMPowerSwitch(chip: chip, channel: channel, frequency: frequency, root: chips)
    }
  }
}
