/// A GPIO line and its wiring.
package struct LineSpec: Hashable, Sendable, CustomStringConvertible {
  /// The identification of a line within its chip.
  package enum Position: Hashable, Sendable, CustomStringConvertible {
    /// The name that `gpioinfo` shows, for example `GPIO17`.
    case name(String)
    /// The offset, counted from 0.
    case offset(UInt32)

    package var description: String {
      switch self {
      case .name(let name): name
      case .offset(let offset): "\(offset)"
      }
    }
  }

  /// The bias resistor of an input.
  package enum Bias: String, Hashable, Sendable, CaseIterable {
    case asIs = "as-is"
    case disabled
    case pullUp = "pull-up"
    case pullDown = "pull-down"
  }

  /// The chip's label, for example `pinctrl-bcm2711`; nil if the name of the line is enough. Chip numbers are not
  /// supported, because they differ between kernels.
  package var chip: String?
  package var position: Position
  /// Whether a low voltage means active, as for a button that connects to ground.
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
  /// An LED on a line.
  case line(LineSpec)
  /// An LED with one line for each colour.
  case rgbLines(red: LineSpec, green: LineSpec, blue: LineSpec)
  /// LEDs of the kernel, `/sys/class/leds/NAME`: one LED, or three LEDs for red, green and blue.
  case leds([String])
}

/// The wiring of a board. A simulated board has no wiring.
package struct Wiring: Hashable, Sendable {
  /// The lines of the buttons, by name.
  package var buttons: [String: LineSpec]
  package var indicator: IndicatorWiring?
  /// An input that detects whether the indicator is lit.
  package var sense: LineSpec?

  package init(
    buttons: [String: LineSpec] = [:], indicator: IndicatorWiring? = nil, sense: LineSpec? = nil
  ) {
    self.buttons = buttons
    self.indicator = indicator
    self.sense = sense
  }
}
