package import Hardware
import Synchronization

/// A GPIO line that switches the power supply of a device, such as a receiver or a buzzer. After a failure, the next
/// call searches for the GPIO line and requests it again.
package final class GPIOPowerSwitch: PowerSwitch {
  private let spec: LineSpec
  private let line = Mutex<LineBox?>(nil)

  /// Creates a switch without access to the GPIO line. The first call of `set` requests the GPIO line.
  package init(unopened spec: LineSpec) { self.spec = spec }

  /// Creates a switch, requests its GPIO line, and switches the power supply off.
  package convenience init(_ spec: LineSpec) throws(HardwareError) {
    self.init(unopened: spec)
    let box = LineBox(try GPIOLine(try GPIOChips.present().locate(spec), for: .output(isActive: false)))
    line.withLock { $0 = box }
  }

  package func set(isOn: Bool) throws {
    try line.withLock { line in
      do {
        let box = try line ?? LineBox(try GPIOLine(try GPIOChips.present().locate(spec), for: .output(isActive: isOn)))
        line = box
        try box.line.set(isOn)
      } catch {
        line = nil
        throw error
      }
    }
  }
}
