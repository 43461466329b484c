/// An output that a user sees, such as an LED.
///
/// Guaranteed: when `drive` returns, the driver has accepted the value. Not guaranteed: that an LED is installed, or
/// visible.
package protocol IndicatorOutput: Sendable {
  /// Switches the indicator on or off. Throws `HardwareError` if the output cannot be driven.
  func drive(_ isLit: Bool) throws

  /// Returns whether the sense input (an input of the board that detects whether the LED is lit) is active; nil if the
  /// board has no sense input. Throws `HardwareError` if the sense input cannot be read.
  func sense() throws -> Bool?
}
