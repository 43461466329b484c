/// An output that a user sees, such as an LED.
///
/// Guaranteed: when `drive` returns, the driver has accepted the value. Not guaranteed: that an LED is installed, or
/// visible. On boards with a sense input, `sense` tells whether the LED is lit.
package protocol IndicatorOutput: Sendable {
  /// Switches the indicator on or off.
  ///
  /// - Throws: `HardwareError` if the output cannot be driven.
  func drive(_ isLit: Bool) throws

  /// Returns the level of the sense input; nil if the board has no sense input.
  ///
  /// - Throws: `HardwareError` if the input cannot be read.
  func sense() throws -> Bool?
}
