import EmulatedDisplay
import LineProtocol
import Display
import Testing

private let modules = [
  DisplayModule(bus: "/dev/i2c-1"), DisplayModule(bus: "/dev/i2c-1", height: 32),
  DisplayModule(bus: "/dev/i2c-1", address: 0x3D, controller: .sh1106),
  DisplayModule(bus: "/dev/i2c-1", height: 32, isRotated: true),
]

/// A picture with a pattern that has no symmetry.
private func pattern(_ height: Int) -> Picture {
  var picture = Picture(height: height)
  for y in 0..<height {
    for x in 0..<Picture.width { picture[x, y] = (x * 7 + y * 13 + x * y) % 5 == 0 }
  }
  return picture
}

@Test(arguments: modules)
func `a module is dark until its memory has the whole picture, then shows the picture, and is switched off again`(
  module: DisplayModule
) {
  // After power-up, the memory has other bits.
  var emulated = EmulatedModule(module)
  let (controller, picture, dark) = (
    DisplayController(module), pattern(module.height), Picture(height: module.height)
  )
  for bytes in controller.transactions(showing: picture) {
    #expect(!emulated.isOn && emulated.picture == dark)
    emulated.write(bytes)
  }
  #expect(emulated.picture == picture && emulated.rows == module.height)
  for bytes in controller.off { emulated.write(bytes) }
  #expect(!emulated.isOn && emulated.picture == dark)
}

@Test(arguments: modules)
func `a transaction has at most 33 bytes, and a frame occupies a bus of 100 kHz for at most 105 ms`(
  module: DisplayModule
) {
  let transactions = DisplayController(module).transactions(showing: pattern(module.height))
  #expect(transactions.allSatisfy { (2...33).contains($0.count) })
  // A byte and its acknowledge bit take 90 µs. Each transaction begins with the address.
  #expect(transactions.reduce(0) { $0 + 1 + $1.count } * 90 <= 105_000)
}

@Test(arguments: [(-1, 0), (128, 0), (0, -1), (0, 64), (Int.min, Int.max)])
func `a pixel outside the picture is dark, and cannot be lit`(x: Int, y: Int) {
  var picture = Picture(height: 64)
  picture[x, y] = true
  #expect(picture == Picture(height: 64) && !picture[x, y])
}

@Test func `a picture as text has two pixels in each character, one above the other`() {
  var picture = Picture(height: 32)
  for (x, y) in [(0, 0), (0, 1), (1, 0), (2, 1), (3, 2), (127, 31)] { picture[x, y] = true }
  let blocks = picture.blocks
  #expect(blocks.count == 16 && blocks.allSatisfy { $0.count == 128 })
  #expect(blocks.map { $0.trimmed } == ["█▀▄", "   ▀"] + Array(repeating: "", count: 13) + [blanks(127) + "▄"])
}

private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

extension String {
  /// The text without the spaces at its end.
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
