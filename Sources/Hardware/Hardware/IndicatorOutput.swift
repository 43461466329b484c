/// The output to the indicator (an LED that shows whether apps use the location).
///
/// Guaranteed: when `drive` returns, the driver has accepted the value. Not guaranteed: that an LED is installed, or
/// visible.
package protocol IndicatorOutput: Sendable {
  /// Switches the LED on or off.
  /// - Throws: `HardwareError` if the output cannot be driven.
  func drive(_ isLit: Bool) throws

  /// Returns whether the LED is lit, according to an input that senses the light; nil if the board has no such input.
  /// - Throws: `HardwareError` if the input cannot be read.
  func sense() throws -> Bool?
}
