/// A GPIO line and its wiring.
package struct LineSpec: Hashable, Sendable, CustomStringConvertible {
  /// The name or the index that identifies a GPIO line within its GPIO chip.
  package enum Position: Hashable, Sendable, CustomStringConvertible {
    /// The name that `gpioinfo` shows, for example `GPIO17`.
    case name(String)
    /// The index of the GPIO line in its GPIO chip, counted from 0.
    case offset(UInt32)

    package var description: String {
      switch self {
      case .name(let name): name
      case .offset(let offset): "\(offset)"
      }
    }
  }

  /// The bias resistor of a GPIO line that is an input.
  package enum Bias: String, Hashable, Sendable, CaseIterable {
    case asIs = "as-is"
    case disabled
    case pullUp = "pull-up"
    case pullDown = "pull-down"
  }

  /// The label of the GPIO chip, for example `pinctrl-bcm2711`; nil if `position` alone identifies the GPIO line. The
  /// numbers of GPIO chips are not supported, because the numbers differ between kernels.
  package var chip: String?
  package var position: Position
  /// Whether the GPIO line is active at a low voltage, for example for a button that connects the GPIO line to ground.
  package var isActiveLow: Bool
  /// The bias resistor, for inputs only.
  package var bias: Bias

  package init(chip: String? = nil, _ position: Position, isActiveLow: Bool = false, bias: Bias = .asIs) {
    self.chip = chip
    self.position = position
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  package var description: String { (chip.map { "\($0):" } ?? "") + "\(position)" }
}

/// The wiring of the indicator.
package enum IndicatorWiring: Hashable, Sendable {
  /// An LED on a GPIO line.
  case line(LineSpec)
  /// An LED with one GPIO line for each colour.
  case rgbLines(red: LineSpec, green: LineSpec, blue: LineSpec)
  /// The names of LEDs of the kernel (`/sys/class/leds/NAME`): of one LED, or of three LEDs for red, green and blue.
  case leds([String])
}

/// The wiring of a board. A simulated board has no wiring.
package struct Wiring: Hashable, Sendable {
  /// The GPIO line of each button, by the name of the button.
  package var buttons: [String: LineSpec]
  package var indicator: IndicatorWiring?
  /// The input that detects whether the indicator is lit; nil if the board has no such input.
  package var sense: LineSpec?

  package init(
    buttons: [String: LineSpec] = [:], indicator: IndicatorWiring? = nil, sense: LineSpec? = nil
  ) {
    self.buttons = buttons
    self.indicator = indicator
    self.sense = sense
  }
}
