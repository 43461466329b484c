package import Base

/// A hold of a button: the user keeps the button down for the hold time (some seconds), or for twice the hold time.
package struct Hold: Hashable, Sendable {
  package let button: String
  package let down: MonotonicInstant
  /// The duration of the hold as a multiple of the hold time, 1 or 2.
  package let multiple: Int

  package init(button: String, down: MonotonicInstant, multiple: Int) {
    self.button = button
    self.down = down
    self.multiple = multiple
  }
}
