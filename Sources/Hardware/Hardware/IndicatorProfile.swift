package import Base

/// A colour in the sRGB colour space, as `#rrggbb` in the configuration.
package struct Colour: Hashable, Sendable, CustomStringConvertible {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Parses a colour from `#` and six hexadecimal digits. Returns nil for any other text.
  package init?(_ text: some StringProtocol) {
    let digits = text.dropFirst()
    guard text.first == "#", digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit),
      let value = UInt32(digits, radix: 16)
    else { return nil }
    self.init(red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xFF), blue: UInt8(value & 0xFF))
  }

  package var description: String { "#" + [red, green, blue].hexadecimal }

  /// The relative luminance of the colour, 0 (black) to 1 (white). (WCAG 2.2, "relative luminance")
  package var luminance: Double {
    func linear(_ channel: UInt8) -> Double {
      let value = Double(channel) / 255
      // The value is x ^ 2.4 = x² · x^(2/5), with x = (value + 0.055) / 1.055. Newton's method computes x^(1/5)
      // without a maths library.
      guard value > 0.04045 else { return value / 12.92 }
      let base = (value + 0.055) / 1.055
      var root = 1.0
      for _ in 0..<40 { root -= (root * root * root * root * root - base) / (5 * root * root * root * root) }
      return base * base * root * root
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// Returns the contrast ratio of two colours, 1...21. (WCAG 2.2, "contrast ratio")
  package func contrast(with other: Colour) -> Double {
    let (a, b) = (luminance, other.luminance)
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }
}

/// The properties of the indicator (an LED that shows whether apps use the location), from the configuration.
package struct IndicatorProfile: Hashable, Sendable {
  package var colour: Colour
  /// The brightness of the lit LED as a fraction of its maximum brightness, 0...1.
  package var brightness: Double
  /// The colour of the panel around the LED, for the contrast between panel and LED.
  package var panelColour: Colour
  /// The time for which the LED stays lit after an app got a one-time fix.
  package var onceDuration: Duration
  package var patterns: [Indication: IndicatorPattern]

  package init(
    colour: Colour = Colour(red: 0x00, green: 0x9D, blue: 0xFF), brightness: Double = 1,
    panelColour: Colour = Colour(red: 0x20, green: 0x20, blue: 0x20), onceDuration: Duration = .seconds(2),
    patterns: [Indication: IndicatorPattern] = [:]
  ) {
    self.colour = colour
    self.brightness = brightness
    self.panelColour = panelColour
    self.onceDuration = onceDuration
    self.patterns = patterns
  }

  package func pattern(_ indication: Indication) -> IndicatorPattern {
    patterns[indication] ?? .standard(indication)
  }
}

/// The properties of a push button, from the configuration.
package struct ButtonProfile: Hashable, Sendable {
  package var name: String
  /// The text beside the button; nil if the configuration contains no text.
  package var label: String?
  package var translations: [Language: String]
  /// The height of the letters beside the button in millimetres; nil if the configuration contains no height.
  package var labelHeight: Double?
  /// The width in millimetres that is available for the text beside the button; nil if the configuration contains no
  /// width.
  package var labelWidth: Double?
  package var timing: Debouncer.Timing
  /// The maximum time between the two presses of a double press, 200...1000 ms. A user answers some questions of the
  /// gateway with a double press.
  package var doublePress: Duration = .milliseconds(400)
  /// The time of a double press with room for its quiet windows: the release of the first press and the second press take
  /// effect only after them.
  package var usableDoublePress: Duration { max(doublePress, timing.quiet * 2 + .milliseconds(100)) }
  /// The ids of the apps that get a location when a user presses this button; nil if all apps get a location.
  package var apps: Set<String>?

  package init(
    name: String, label: String? = nil, translations: [Language: String] = [:], labelHeight: Double? = nil,
    labelWidth: Double? = nil,
    timing: Debouncer.Timing = Debouncer.Timing(), apps: Set<String>? = nil
  ) {
    self.name = name
    self.label = label
    self.translations = translations
    self.labelHeight = labelHeight
    self.labelWidth = labelWidth
    self.timing = timing
    self.apps = apps
  }
}
