/// A black-and-white picture, 128 pixels wide, one bit for each pixel.
///
/// The bytes have the order of the memory of the display (Solomon Systech, SSD1306 §8.7). Each byte is a column of
/// eight pixels, with the top pixel in bit 0.
package struct Picture: Hashable, Sendable {
  package static let width = 128

  /// The height in pixels, a multiple of 8.
  package let height: Int
  /// The pixels: `width` bytes for each band of eight rows, from the top.
  package private(set) var bytes: [UInt8]

  package init(height: Int) {
    self.height = height
    bytes = Array(repeating: 0, count: Self.width * height / 8)
  }

  /// Whether a pixel is lit. A pixel outside the picture is dark and cannot be changed.
  package subscript(x: Int, y: Int) -> Bool {
    get {
      guard (0..<Self.width).contains(x), (0..<height).contains(y) else { return false }
      return bytes[y / 8 * Self.width + x] & 1 << UInt8(y % 8) != 0
    }
    set {
      guard (0..<Self.width).contains(x), (0..<height).contains(y) else { return }
      let (index, bit) = (y / 8 * Self.width + x, UInt8(1) << UInt8(y % 8))
      if newValue { bytes[index] |= bit } else { bytes[index] &= ~bit }
    }
  }

  /// Returns the bytes of one band (eight rows of pixels).
  /// - Parameter number: The index of the band, from 0 at the top.
  package func band(_ number: Int) -> ArraySlice<UInt8> { bytes[number * Self.width..<(number + 1) * Self.width] }

  /// Lights the pixels of a character. `x` and `y` are the position of its top left pixel.
  mutating func draw(_ glyph: Glyph, x: Int, y: Int) {
    for (row, bits) in glyph.rows.enumerated() {
      for column in 0..<glyph.width where bits & 1 << UInt16(glyph.width - 1 - column) != 0 {
        self[x + column, y + row] = true
      }
    }
  }

  /// The picture as lines of text for a terminal. Each character shows two pixels, one above the other.
  package var blocks: [String] {
    stride(from: 0, to: height, by: 2).map { y in
      (0..<Self.width).map { x in
        switch (self[x, y], self[x, y + 1]) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
    }
  }
}
