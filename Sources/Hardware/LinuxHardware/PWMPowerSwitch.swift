import Hardware
import OperatingSystem
import Synchronization

/// A PWM channel of the kernel (`/sys/class/pwm`) that drives a passive buzzer with a square wave. The first call of
/// `set` exports and configures the PWM channel. After a failure, the next call repeats the configuration.
package final class PWMPowerSwitch: PowerSwitch {
  private let chip: String
  private let channel: Int
  /// The period of the buzzer's square wave in nanoseconds.
  private let period: Int
  private let root: String
  /// The folder of the configured PWM channel in `/sys`; nil before the first call of `set`, and after a failure.
  private let folder = Mutex<String?>(nil)

  /// Creates a switch. The call does not access the PWM channel.
  /// - Parameters:
  ///   - chip: the name of the PWM chip, for example `pwmchip0`, or the name of its device, for example `fe20c000.pwm`.
  ///   - channel: the index of the channel on the chip.
  ///   - frequency: the frequency of the square wave in hertz.
  ///   - root: the folder of all PWM chips, which a test can replace.
  package init(chip: String, channel: Int, frequency: Int, root: String = "/sys/class/pwm") {
    self.chip = chip
    self.channel = channel
    self.root = root
    period = 1_000_000_000 / max(1, frequency)
  }

  package func set(isOn: Bool) throws {
    try folder.withLock { folder in
      do {
        let ready = try folder ?? configured()
        folder = ready
        try file.write(isOn ? "1" : "0", to: "\(ready)/enable")
      } catch {
        folder = nil
        throw error
      }
    }
  }

  /// Exports the PWM channel if necessary, and configures a square wave with a duty cycle of 50 %. Returns the folder
  /// of the channel.
  ///
  /// The order of the writes is important. The kernel refuses a duty cycle that is longer than the period. The kernel
  /// also refuses every change of a channel whose period is 0.
  private func configured() throws(HardwareError) -> String {
    let chipFolder = "\(root)/\(try chipName())"
    if channelName(in: chipFolder) == nil { try file.write("\(channel)", to: "\(chipFolder)/export") }
    let folder = "\(chipFolder)/\(channelName(in: chipFolder) ?? "pwm\(channel)")"
    if let former = try file.number(in: "\(folder)/period"), former > 0 {
      try file.write("0", to: "\(folder)/duty_cycle")
    }
    try file.write("\(period)", to: "\(folder)/period")
    try file.write("\(period / 2)", to: "\(folder)/duty_cycle")
    return folder
  }

  /// Returns the name of the exported PWM channel, for example `pwm0`; nil before the export. Kernels for the
  /// BeagleBone use names such as `pwm-1:0`. (jadonk/bonescript, issue 156)
  private func channelName(in chipFolder: String) -> String? {
    Folder.names(in: chipFolder).first {
      $0 == "pwm\(channel)" || $0.hasPrefix("pwm-") && $0.hasSuffix(":\(channel)")
    }
  }

  private func chipName() throws(HardwareError) -> String {
    let names = Folder.names(in: root).sorted()
    if let name = names.first(where: { $0 == chip || PWMChips.device(of: $0, in: root) == chip }) { return name }
    let known = names.isEmpty ? "none" : names.joined(separator: ", ")
    throw HardwareError(
      .absent, "find", "PWM chip \(chip)", cause: "\(root) has \(known)", remedy: PWMChips.absentRemedy)
  }

  private let file = KernelFile(
    absentRemedy: PWMChips.absentRemedy,
    deniedRemedy: "give the daemon's user write access to the PWM chip with a udev rule: see onefixd check")
}

package enum PWMChips {
  package static let absentRemedy = "is PWM enabled on this board, for example dtoverlay=pwm? see ls -l /sys/class/pwm"

  /// Returns the name of the device of a PWM chip, for example `fe20c000.pwm`; nil if the chip has no device.
  package static func device(of chip: String, in root: String) -> String? {
    DeviceNode.link(at: "\(root)/\(chip)/device")?.split(separator: "/" as Character).last.map(String.init)
  }
}
