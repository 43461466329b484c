package import Display
package import LineProtocol

/// A display module that interprets the bytes of its controller: the memory, the window on the memory, and whether the
/// module is on. (Solomon Systech, SSD1306 §9 and §10; Sino Wealth, SH1106, "Command table")
package struct EmulatedModule {
  private let controller: DisplayModule.Controller
  private let height: Int
  private let isRotated: Bool
  private var memory: [[UInt8]]
  private var (page, column) = (0, 0)
  /// The commands for the direction of the columns, the direction of the rows and the wiring of the rows, after a reset.
  private var (segments, scan, wiring): (UInt8, UInt8, UInt8) = (0xA0, 0xC0, 0x12)
  /// The addressing mode of an SSD1306: horizontal, vertical or by pages (2). Another program may have changed the mode.
  private var addressing: UInt8 = 0
  package private(set) var isOn = false
  /// Whether a converter supplies the voltage of the pixels. After a reset, the charge pump of an SSD1306 is off, and the
  /// DC-DC converter of an SH1106 is on.
  package private(set) var isPowered: Bool
  package private(set) var rows = 64

  package init(_ module: DisplayModule) {
    controller = module.controller
    height = module.height
    isRotated = module.isRotated
    isPowered = controller == .sh1106
    // Noise, as after power-up.
    memory = Array(repeating: Array(repeating: 0xA5, count: controller == .sh1106 ? 132 : 128), count: 8)
  }

  /// The lit pixels, as a person sees them. The pins of the module are at the top, or at the bottom of a rotated module.
  package var picture: Picture {
    var picture = Picture(height: height)
    guard isOn, isPowered, controller == .sh1106 || addressing == 2 else { return picture }
    let first = controller == .sh1106 ? 2 : 0
    let (isMirrored, isUpsideDown) = (segments == (isRotated ? 0xA1 : 0xA0), scan == (isRotated ? 0xC8 : 0xC0))
    // With the wrong wiring, each second row is missing.
    for y in 0..<height where wiring == (height == 64 ? 0x12 : 0x02) || y % 2 == 0 {
      for x in 0..<Picture.width {
        let isLit = memory[y / 8][first + x] & 1 << UInt8(y % 8) != 0
        picture[isMirrored ? Picture.width - 1 - x : x, isUpsideDown ? height - 1 - y : y] = isLit
      }
    }
    return picture
  }

  package mutating func write(_ bytes: [UInt8]) {
    switch bytes.first {
    case 0x00: command(bytes.dropFirst())
    case 0x40:
      for byte in bytes.dropFirst() {
        if column < memory[page].count { memory[page][column] = byte }
        column += 1
      }
    default: preconditionFailure("no control byte")
    }
  }

  private mutating func command(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    func next() -> UInt8 { rest.isEmpty ? 0 : rest.removeFirst() }
    while let code = rest.popFirst() {
      switch code {
      case 0x00...0x0F: column = column & 0xF0 | Int(code)
      case 0x10...0x1F: column = column & 0x0F | Int(code & 0x0F) << 4
      case 0xB0...0xB7: page = Int(code & 7)
      case 0xAE, 0xAF: isOn = code == 0xAF
      case 0xA8: rows = Int(next()) + 1
      case 0x8D where controller == .ssd1306: isPowered = next() == 0x14
      // The command is permitted only while the display is off. (SH1106 V2.3, "DC-DC control mode set")
      case 0xAD where controller == .sh1106 && !isOn: isPowered = next() == 0x8B
      case 0xA0, 0xA1: segments = code
      case 0xC0, 0xC8: scan = code
      case 0xDA: wiring = next()
      case 0x20 where controller == .ssd1306: addressing = next()
      case 0x81, 0xD3, 0xD5, 0xD9, 0xDB: _ = next()
      case 0x2E, 0x40...0x7F, 0xA4, 0xA6: break
      default: preconditionFailure("unknown command \(code)")
      }
    }
  }
}
