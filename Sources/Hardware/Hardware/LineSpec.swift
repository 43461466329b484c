/// The configuration of a GPIO line: how to find the GPIO line, and its electrical properties.
package struct LineSpec: Hashable, Sendable, CustomStringConvertible {
  /// The position of a GPIO line on its GPIO chip, as a name or an index.
  package enum Position: Hashable, Sendable, CustomStringConvertible {
    /// The name of the GPIO line in the output of `gpioinfo`, for example `GPIO17`.
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
  /// not allowed, because the number differs between kernels.
  package var chip: String?
  package var position: Position
  /// Whether a low voltage means `active`, as for a button that connects the GPIO line to ground.
  package var isActiveLow: Bool
  /// The internal resistor that pulls an input up or down. The value has no effect on outputs.
  package var bias: Bias

  package init(chip: String? = nil, _ position: Position, isActiveLow: Bool = false, bias: Bias = .asIs) {
    self.chip = chip
    self.position = position
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  package var description: String { (chip.map { "\($0):" } ?? "") + "\(position)" }
}

/// The way in which the indicator is connected. The indicator is an LED that shows whether apps use the location.
package enum IndicatorWiring: Hashable, Sendable {
  case line(LineSpec)
  /// A three-colour LED with a GPIO line for each colour.
  case rgbLines(red: LineSpec, green: LineSpec, blue: LineSpec)
  /// One LED of the kernel, or three LEDs for red, green and blue. The texts are the names of the LEDs in
  /// `/sys/class/leds`.
  case leds([String])
}

/// The GPIO lines of a board to which buttons and LEDs are connected. A simulated board has no wiring.
package struct Wiring: Hashable, Sendable {
  /// The GPIO lines of the buttons. The key is the name of the button.
  package var buttons: [String: LineSpec]
  package var indicator: IndicatorWiring?
  /// The GPIO input that senses whether the LED is lit; nil if the board has no such input.
  package var sense: LineSpec?

  package init(
    buttons: [String: LineSpec] = [:], indicator: IndicatorWiring? = nil, sense: LineSpec? = nil
  ) {
    self.buttons = buttons
    self.indicator = indicator
    self.sense = sense
  }
}
