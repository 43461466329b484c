/// The configuration of a GPIO line: how to find the GPIO line, and its electrical properties.
package struct LineSpec: Hashable, Sendable, CustomStringConvertible {
  /// How to find a GPIO line on its GPIO chip: by name or by index.
  package enum Position: Hashable, Sendable, CustomStringConvertible {
    /// The name of the GPIO line as `gpioinfo` shows it, for example `GPIO17`.
    case name(String)
    /// The index of the GPIO line on its GPIO chip, from 0.
    case offset(UInt32)

    package var description: String {
      switch self {
      case .name(let name): name
      case .offset(let offset): "\(offset)"
      }
    }
  }

  /// The internal resistor that pulls an input up or down.
  package enum Bias: String, Hashable, Sendable, CaseIterable {
    case asIs = "as-is"
    case disabled
    case pullUp = "pull-up"
    case pullDown = "pull-down"
  }

  /// The label of the GPIO chip, for example `pinctrl-bcm2711`; nil to search all GPIO chips. The number of the chip is
  /// not accepted, because the number differs between kernels.
  package var chip: String?
  package var position: Position
  /// Whether a low voltage means active, for example for a button that connects the GPIO line to ground.
  package var isActiveLow: Bool
  /// The internal resistor that pulls an input up or down. An output does not use the value.
  package var bias: Bias

  package init(chip: String? = nil, _ position: Position, isActiveLow: Bool = false, bias: Bias = .asIs) {
    self.chip = chip
    self.position = position
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  package var description: String { (chip.map { "\($0):" } ?? "") + "\(position)" }
}

/// How the LED of the indicator is connected. (The indicator shows the use of the location.)
package enum IndicatorWiring: Hashable, Sendable {
  /// An LED on a GPIO line.
  case line(LineSpec)
  /// A three-colour LED with a GPIO line for each colour.
  case rgbLines(red: LineSpec, green: LineSpec, blue: LineSpec)
  /// LEDs that the kernel controls, by their names in `/sys/class/leds`. The array has one name, or three names for
  /// red, green and blue.
  case leds([String])
}

/// How buttons and LEDs are connected to the GPIO lines of a board. A simulated board has no wiring.
package struct Wiring: Hashable, Sendable {
  /// The GPIO lines of the buttons. The key is the name of the button.
  package var buttons: [String: LineSpec]
  package var indicator: IndicatorWiring?
  /// The input that senses whether the LED is lit; nil if the board has no such input.
  package var sense: LineSpec?

  package init(
    buttons: [String: LineSpec] = [:], indicator: IndicatorWiring? = nil, sense: LineSpec? = nil
  ) {
    self.buttons = buttons
    self.indicator = indicator
    self.sense = sense
  }
}
