/// A switch for the power supply of a device, such as a receiver or a buzzer.
///
/// Guaranteed: when `set` returns, the driver has accepted the value. Not guaranteed: that the device has started or
/// stopped, because capacitors can supply the device for some time.
package protocol PowerSwitch: Sendable {
  /// Switches the power supply on or off.
  /// - Throws: `HardwareError` if the output cannot be driven.
  func set(isOn: Bool) throws
}
