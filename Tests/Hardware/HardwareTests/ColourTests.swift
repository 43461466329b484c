import Hardware
import Testing

@Test(arguments: [
  ("#777777", "#ffffff", 4.48), ("#000000", "#ffffff", 21), ("#767676", "#ffffff", 4.54), ("#ff0000", "#ffffff", 4.00),
  ("#00ff00", "#ffffff", 1.37), ("#0000ff", "#ffffff", 8.59), ("#949494", "#ffffff", 3.03),
  ("#959595", "#ffffff", 2.995),
  ("#123456", "#123456", 1), ("#ffff00", "#0000ff", 8.00),
])
func `the contrast is that of WCAG`(one: String, other: String, expected: Double) throws {
  let (one, other) = (try #require(Colour(one)), try #require(Colour(other)))
  #expect(abs(one.contrast(with: other) - expected) < 0.005)
  #expect(one.contrast(with: other) == other.contrast(with: one))
}

@Test func `the luminance increases with every channel, from 0 to 1`() {
  for channel in 0..<3 {
    var last = -1.0
    for value in 0...255 {
      let level = UInt8(value)
      let colour = Colour(
        red: channel == 0 ? level : 0, green: channel == 1 ? level : 0, blue: channel == 2 ? level : 0)
      #expect(colour.luminance > last)
      last = colour.luminance
    }
  }
  #expect(Colour(red: 0, green: 0, blue: 0).luminance == 0)
  #expect(abs(Colour(red: 255, green: 255, blue: 255).luminance - 1) < 1e-12)
}

@Test func `a colour is formatted as # and six hexadecimal digits, and parsed again`() {
  for text in ["#000000", "#00000f", "#009dff", "#ffffff", "#0a0b0c"] { #expect(Colour(text)?.description == text) }
  #expect(Colour("#009DFF") == Colour(red: 0, green: 0x9D, blue: 255))
  for text in [
    "", "#", "009dff", "#fff", "#1234567", "#12345g", "#+12345", "#-00000", "# 12345", "#12345 ", "##12345", "#é1234",
    "#１２", "0x123456",
  ] {
    #expect(Colour(text) == nil, "\(text)")
  }
}
