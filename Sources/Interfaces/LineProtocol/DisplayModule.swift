package import Base

/// The settings of a display module on an I2C bus, which the gateway sends to the program that drives the module.
public struct DisplayModule: Hashable, Sendable {
  /// The controller chip of a module.
  package enum Controller: String, Hashable, Sendable, CaseIterable {
    case ssd1306, sh1106
  }

  /// The addresses that the pin `SA0` of a module selects. (Solomon Systech, SSD1306 §8.1.5.1; Sino Wealth, SH1106,
  /// "I2C-bus interface")
  package static let addresses: ClosedRange<UInt16> = 0x3C...0x3D
  /// The heights of the modules, in pixels. Each module is 128 pixels wide.
  package static let heights = [32, 64]

  /// The path of the bus, as in `/dev/i2c-1`.
  package var bus: String
  package var address: UInt16
  package var controller: Controller
  /// The height in pixels: a value of `heights`.
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

  /// Returns the settings as the fields of a reply, with the language of the texts.
  package func fields(in language: Language) -> ServerLine.Fields {
    [
      "bus": bus, "address": "0x\(address.digits(2, radix: 16))", "controller": controller.rawValue,
      "height": "\(height)", "rotated": "\(isRotated)", "language": language.rawValue,
    ]
  }

  /// Reads the fields of a reply. Returns nil if a field is missing or unknown.
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
