/// A GPIO line and the wiring of the line.
package struct LineSpec: Hashable, Sendable, CustomStringConvertible {
  /// The way in which a line is identified within its chip.
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
    /// The gateway does not change the bias.
    case asIs = "as-is"
    case disabled
    case pullUp = "pull-up"
    case pullDown = "pull-down"
  }

  /// The chip's label, for example `pinctrl-bcm2711`; nil if the name of the line identifies the chip. The gateway does
  /// not support the numbers of chips, because they differ between kernels.
  package var chip: String?
  package var position: Position
  /// Whether the line is active at a low voltage, as for a button that connects to ground.
  package var isActiveLow: Bool
  /// The bias resistor; used for inputs only.
  package var bias: Bias

  package init(chip: String? = nil, _ position: Position, isActiveLow: Bool = false, bias: Bias = .asIs) {
    self.chip = chip
    self.position = position
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  /// The line, for example `pinctrl-bcm2711:GPIO17`.
  package var description: String { (chip.map { "\($0):" } ?? "") + "\(position)" }
}

/// The wiring of the indicator.
package enum IndicatorWiring: Hashable, Sendable {
  /// An LED on a line.
  case line(LineSpec)
  /// An LED with one line for each colour. A line is on if the configured colour contains the colour of this line.
  case rgbLines(red: LineSpec, green: LineSpec, blue: LineSpec)
  /// LEDs of the kernel, `/sys/class/leds/NAME`: either one LED, or three LEDs for red, green and blue.
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
