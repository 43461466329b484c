/// An output that a person sees: an LED.
///
/// Guaranteed: when `drive` returns, the driver accepted the value. Not guaranteed: that a LED is fitted, or that it
/// can be seen; a sense input tells more where the board has one.
package protocol IndicatorOutput: Sendable {
  /// Lights the indicator, or makes it dark.
  /// - Throws: `HardwareError` when the output cannot be driven.
  func drive(_ isLit: Bool) throws

  /// What a sense input sees; nil where the board has none.
  /// - Throws: `HardwareError` when the input cannot be read.
  func sense() throws -> Bool?
}
