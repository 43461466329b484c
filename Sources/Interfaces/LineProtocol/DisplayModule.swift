package import Base

/// The settings of a display module on an I2C bus: its address, controller chip, height and rotation. A separate
/// program reads these settings from the gateway, and drives the module.
public struct DisplayModule: Hashable, Sendable {
  package enum Controller: String, Hashable, Sendable, CaseIterable {
    case ssd1306, sh1106
  }

  /// The I2C addresses that a display module can have. The level at the pin `SA0` selects one of them. (Solomon
  /// Systech, SSD1306 §8.1.5.1; Sino Wealth, SH1106, "I2C-bus interface")
  package static let addresses: ClosedRange<UInt16> = 0x3C...0x3D
  /// The possible heights of a display module in pixels. Each module is 128 pixels wide.
  package static let heights = [32, 64]

  /// The path of the I2C bus, as in `/dev/i2c-1`.
  package var bus: String
  package var address: UInt16
  package var controller: Controller
  /// The height in pixels: one of `heights`.
  package var height: Int
  /// Whether the module is mounted upside down.
  package var isRotated: Bool

  package init(
    bus: String, address: UInt16 = 0x3C, controller: Controller = .ssd1306, height: Int = 64, isRotated: Bool = false
  ) {
    self.bus = bus
    self.address = address
    self.controller = controller
    self.height = height
    self.isRotated = isRotated
  }

  /// Returns the settings of the display and the language of its texts, as `key=value` fields of a protocol line.
  package func fields(in language: Language) -> ServerLine.Fields {
    [
      "bus": bus, "address": "0x\(String(address, radix: 16))", "controller": controller.rawValue,
      "height": "\(height)", "rotated": "\(isRotated)", "language": language.rawValue,
    ]
  }

  /// Reads the settings of a display from the `key=value` fields of a reply; nil if a field is missing or has an
  /// unknown value.
  package init?(fields: ServerLine.Fields) {
    guard let bus = fields["bus"], let text = fields["address"], text.hasPrefix("0x"),
      let address = UInt16(text.dropFirst(2), radix: 16), Self.addresses.contains(address),
      let controller = fields["controller"].flatMap(Controller.init),
      let height = fields["height"].flatMap({ Int($0) }),
      Self.heights.contains(height)
    else { return nil }
    self.init(
      bus: bus, address: address, controller: controller, height: height, isRotated: fields["rotated"] == "true")
  }
}
