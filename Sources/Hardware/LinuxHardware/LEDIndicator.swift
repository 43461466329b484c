package import Hardware

/// The indicator (an LED that shows whether apps use the location) as an LED that the kernel controls:
/// `/sys/class/leds/NAME`. The indicator can also be three such LEDs for red, green and blue.
///
/// Guaranteed: the LED has no kernel trigger (an event of the kernel that switches the LED).
package final class LEDIndicator: IndicatorOutput {
  private struct LED {
    let folder: String
    let brightness: Int
  }

  private let leds: [LED]
  private let senseLine: SenseLine?

  /// Creates an indicator with one LED, or with three LEDs for red, green and blue. Three LEDs show the configured
  /// colour. A single LED has a fixed colour.
  package init(
    names: [String], profile: IndicatorProfile, sense: LineSpec?, root: String = "/sys/class/leds"
  ) throws(HardwareError) {
    let strongest = Double(max(profile.colour.red, profile.colour.green, profile.colour.blue, 1))
    let components = [profile.colour.red, profile.colour.green, profile.colour.blue]
    let shares = names.count == 3 ? components.map { Double($0) / strongest } : [1]
    var leds: [LED] = []
    for (name, share) in zip(names, shares) {
      let folder = "\(root)/\(name)"
      let range = try Self.range(folder)
      // A lit LED has at least the brightness 1. A rounded brightness of 0 would leave the LED dark.
      let brightness = Double(range) * profile.brightness * share
      leds.append(LED(folder: folder, brightness: brightness > 0 ? max(1, Int(brightness.rounded())) : 0))
    }
    self.leds = leds
    senseLine = sense.map(SenseLine.init)
    for led in leds { try Self.write("none", to: "\(led.folder)/trigger") }
    for led in leds { try Self.write("0", to: "\(led.folder)/brightness") }
    do { _ = try senseLine?.isActive() } catch {
      throw error as? HardwareError ?? HardwareError(.failed, "read", "the sense input", cause: "\(error)")
    }
  }

  package func drive(_ isLit: Bool) throws {
    for led in leds { try Self.write(isLit ? "\(led.brightness)" : "0", to: "\(led.folder)/brightness") }
  }

  package func sense() throws -> Bool? { try senseLine?.isActive() }

  private static func range(_ folder: String) throws(HardwareError) -> Int {
    let path = "\(folder)/max_brightness"
    guard let range = try file.number(in: path), range > 0 else {
      throw HardwareError(.unsuitable, "read", path, cause: "it contains no maximum brightness")
    }
    return range
  }

  private static let file = KernelFile(
    absentRemedy: "ls /sys/class/leds shows the available LEDs",
    deniedRemedy: "give the daemon's user write access to brightness and trigger with a udev rule")

  private static func write(_ text: String, to path: String) throws(HardwareError) { try file.write(text, to: path) }
}
