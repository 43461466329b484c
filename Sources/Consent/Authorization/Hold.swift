package import Base

/// A hold of a button for the hold time, or for twice the hold time.
package struct Hold: Hashable, Sendable {
  package let button: String
  package let down: MonotonicInstant
  /// The number of hold times for which the button was held, 1 or 2.
  package let multiple: Int

  package init(button: String, down: MonotonicInstant, multiple: Int) {
    self.button = button
    self.down = down
    self.multiple = multiple
  }
}
