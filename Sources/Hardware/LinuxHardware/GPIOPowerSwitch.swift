package import Hardware
import Synchronization

/// A GPIO line that switches the power supply of a device, such as a receiver or a buzzer. After a failure, the next
/// call searches for the GPIO line again.
package final class GPIOPowerSwitch: PowerSwitch {
  private let spec: LineSpec
  private let line = Mutex<LineBox?>(nil)

  /// Creates a switch. The call does not access the GPIO line. The first call of `set` requests the GPIO line from the
  /// kernel.
  package init(unopened spec: LineSpec) { self.spec = spec }

  /// Creates a switch, requests its GPIO line from the kernel, and switches the power supply off.
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
