/// Switches the supply of a device: a receiver's.
///
/// Guaranteed: when `set` returns, the driver accepted the value. Not guaranteed: that the device has started or
/// stopped; capacitors and its own start-up take their time.
package protocol PowerSwitch: Sendable {
  /// - Throws: `HardwareError` when the output cannot be driven.
  func set(isOn: Bool) throws
}
