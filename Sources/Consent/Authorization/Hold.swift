package import Base

/// A hold of a button: the user keeps the button down for the hold time (some seconds), or for twice the hold time.
package struct Hold: Hashable, Sendable {
  package let button: String
  package let down: MonotonicInstant
  /// The number 1 after the hold time, and 2 after twice the hold time.
  package let multiple: Int

  package init(button: String, down: MonotonicInstant, multiple: Int) {
    self.button = button
    self.down = down
    self.multiple = multiple
  }
}
