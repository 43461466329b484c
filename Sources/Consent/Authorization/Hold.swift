package import Clocks

/// The fact that a user has held a button for the hold time, or for twice the hold time.
package struct Hold: Hashable, Sendable {
  /// The name of the button on the board.
  package let button: String
  package let down: MonotonicInstant
  /// The length of the hold: 1 after the hold time, 2 after twice the hold time.
  package let multiple: Int

  package init(button: String, down: MonotonicInstant, multiple: Int) {
    self.button = button
    self.down = down
    self.multiple = multiple
  }
}
