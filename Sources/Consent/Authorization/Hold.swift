package import Clocks

/// A button that has been active for a multiple of the hold time.
package struct Hold: Hashable, Sendable {
  /// As the board names it.
  package let button: String
  package let down: MonotonicInstant
  /// 1, and 2 where it is held on for as long again.
  package let multiple: Int

  package init(button: String, down: MonotonicInstant, multiple: Int) {
    self.button = button
    self.down = down
    self.multiple = multiple
  }
}
