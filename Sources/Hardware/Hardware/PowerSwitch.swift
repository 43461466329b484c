/// A switch for the power supply of a device, such as a receiver.
///
/// Guaranteed: when `set` returns, the driver has accepted the value. Not guaranteed: that the device has started or
/// stopped. A device continues to run until its capacitors are empty, and needs time to start.
package protocol PowerSwitch: Sendable {
  /// Switches the supply.
  ///
  /// - Throws: `HardwareError` if the output cannot be driven.
  func set(isOn: Bool) throws
}
