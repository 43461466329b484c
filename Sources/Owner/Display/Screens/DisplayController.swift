package import LineProtocol

/// The bytes for the controller of an OLED display on an I2C bus. A transaction is the sequence of bytes after the
/// address byte.
///
/// The first byte says whether commands (0x00) or pixels (0x40) follow (Solomon Systech, SSD1306 §8.1.5.2; Sino
/// Wealth, SH1106, "I2C-bus interface").
package struct DisplayController: Sendable {
  /// The maximum count of pixel bytes in a transaction. With the control byte, a transaction has 33 bytes, the most
  /// that an SMBus adapter can write. At 100 kHz the transaction takes 3.1 ms, in which a receiver on the same bus has
  /// to wait.
  package static let mostData = 32

  private static let commands: UInt8 = 0x00
  private static let data: UInt8 = 0x40

  private let module: DisplayModule

  package init(_ module: DisplayModule) { self.module = module }

  /// Returns the I2C transactions that show a picture. The first transaction contains all settings, because a display
  /// without power loses its settings. The last transaction switches the display on, after the picture is in its
  /// memory.
  package func transactions(showing picture: Picture) -> [[UInt8]] {
    [[Self.commands] + settings] + (0..<module.height / 8).flatMap { band($0, of: picture) } + [[Self.commands, 0xAF]]
  }

  /// The transaction that switches the display off. The controller then needs less than 10 µA (SSD1306 table 12-1,
  /// sleep mode; SH1106 V2.3: less than 5 µA), without the voltage regulator.
  package var off: [[UInt8]] { [[Self.commands, 0xAE]] }

  private func band(_ number: Int, of picture: Picture) -> [[UInt8]] {
    let bytes = Array(picture.band(number))
    // The memory of an SH1106 has 132 columns, and most modules show the columns 2 to 129. (olikraus/u8g2, issue 225;
    // rm-hull/luma.oled, issue 376 has a module that shows the columns from 0)
    let column: UInt8 = module.controller == .sh1106 ? 2 : 0
    let position = [Self.commands, 0xB0 | UInt8(number), 0x00 | column, 0x10]
    return [position]
      + stride(from: 0, to: bytes.count, by: Self.mostData).map {
        [Self.data] + bytes[$0..<min(bytes.count, $0 + Self.mostData)]
      }
  }

  /// The commands that set up the controller, in the order of the data sheets (SSD1306 rev. 1.1 §9 with its
  /// application note; SH1106 V2.3, "Command table").
  private var settings: [UInt8] {
    let rows = UInt8(module.height - 1)
    // The order of the columns and of the rows: modules are mounted with the pins at the top.
    let directions: [UInt8] = module.isRotated ? [0xA0, 0xC0] : [0xA1, 0xC8]
    // The pins of the rows: alternating for 64 rows, sequential for 32 rows.
    let wiring: [UInt8] = [0xDA, module.height == 64 ? 0x12 : 0x02]
    let common: [UInt8] =
      [0xD5, 0x80, 0xA8, rows, 0xD3, 0x00, 0x40] + directions + wiring + [0x81, 0x7F, 0xA4, 0xA6]
    switch module.controller {
    // Charge pump on; addresses by pages; precharge and deselect level for the charge pump.
    case .ssd1306: return common + [0x8D, 0x14, 0x20, 0x02, 0xD9, 0xF1, 0xDB, 0x20, 0x2E]
    // Precharge and deselect level as after a reset. The DC-DC converter is on after a reset, and its command is
    // permitted only while the display is off. The SH1106 has only addresses by pages.
    case .sh1106: return common + [0xD9, 0x22, 0xDB, 0x35]
    }
  }
}
