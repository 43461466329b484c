/// Which GPIO line, and how it is wired.
package struct LineSpec: Hashable, Sendable, CustomStringConvertible {
  /// A line within its chip.
  package enum Position: Hashable, Sendable, CustomStringConvertible {
    /// As in `GPIO17`, as `gpioinfo` shows it.
    case name(String)
    /// Counted from 0.
    case offset(UInt32)

    package var description: String {
      switch self {
      case .name(let name): name
      case .offset(let offset): "\(offset)"
      }
    }
  }

  /// The resistor that the chip puts on an input.
  package enum Bias: String, Hashable, Sendable, CaseIterable {
    /// As it is.
    case asIs = "as-is"
    case disabled
    case pullUp = "pull-up"
    case pullDown = "pull-down"
  }

  /// The chip's label, as in `pinctrl-bcm2711`; nil where the line's name tells it. Never a number: these move between
  /// kernels.
  package var chip: String?
  package var position: Position
  /// Whether the line is active when its voltage is low: a button to ground.
  package var isActiveLow: Bool
  /// For inputs.
  package var bias: Bias

  package init(chip: String? = nil, _ position: Position, isActiveLow: Bool = false, bias: Bias = .asIs) {
    self.chip = chip
    self.position = position
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  /// As in `pinctrl-bcm2711:GPIO17`.
  package var description: String { (chip.map { "\($0):" } ?? "") + "\(position)" }
}

/// What the indicator is wired to.
package enum IndicatorWiring: Hashable, Sendable {
  /// An LED on a line.
  case line(LineSpec)
  /// An LED with a line for each colour, of which those are lit that the configured colour has.
  case rgbLines(red: LineSpec, green: LineSpec, blue: LineSpec)
  /// LEDs of the kernel, as in `/sys/class/leds/NAME`: one, or red, green and blue.
  case leds([String])
}

/// What a board's hardware is wired to; a simulated board has none of it.
package struct Wiring: Hashable, Sendable {
  /// By the button's name.
  package var buttons: [String: LineSpec]
  package var indicator: IndicatorWiring?
  /// An input that sees whether the indicator is lit.
  package var sense: LineSpec?

  package init(
    buttons: [String: LineSpec] = [:], indicator: IndicatorWiring? = nil, sense: LineSpec? = nil
  ) {
    self.buttons = buttons
    self.indicator = indicator
    self.sense = sense
  }
}
