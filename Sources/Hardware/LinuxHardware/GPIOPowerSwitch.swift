package import Hardware
import Synchronization

/// A GPIO line that switches the power supply of a device, such as a receiver or an active buzzer. After a failure, the
/// next call locates and requests the GPIO line again.
package final class GPIOPowerSwitch: PowerSwitch {
  private let spec: LineSpec
  private let line = Mutex<LineBox?>(nil)

  /// Creates a switch that requests its GPIO line at the first call.
  package init(unopened spec: LineSpec) { self.spec = spec }

  /// Requests the GPIO line and switches the supply off.
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
