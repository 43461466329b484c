import Testing

@testable import Display

extension HexFont {
  /// A font whose file has these bytes.
  init(_ bytes: [UInt8]) {
    self.init(size: bytes.count) { offset, count in Array(bytes[min(offset, bytes.count)...].prefix(count)) }
  }
}

/// A font with the given numbers of characters. The first two digits of each glyph are the lowest byte of its number.
private func font(_ numbers: [UInt32]) -> HexFont {
  let lines = numbers.map { number in
    let digits = String(number, radix: 16, uppercase: true)
    let low = String(number & 0xFF | 0x100, radix: 16, uppercase: true).dropFirst()
    let glyph = low + String(repeating: "0", count: number % 3 == 0 ? 62 : 30)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ":" + glyph + "\n"
  }
  return HexFont(Array(lines.joined().utf8))
}

@Suite struct GlyphTests {
  /// The glyphs of the second font have the longest lines of a file.
  @Test(arguments: [1, 2, 3, 10, 400], [(0x20, 37), (0x100002, 3)])
  func `each character of a font is found, and no other character`(count: Int, codes: (first: Int, step: Int)) {
    let few = (0..<count).map { UInt32($0 * codes.step + codes.first) }
    let numbers: [UInt32] = Set(few.filter { Unicode.Scalar($0) != nil } + [0x1F600]).sorted()
    let font = font(numbers)
    for number in numbers {
      let glyph = font.glyph(of: Unicode.Scalar(number)!)
      let (width, row) = (number % 3 == 0 ? 16 : 8, UInt16(number & 0xFF))
      let rows = [width == 16 ? row << 8 : row] + Array(repeating: 0, count: 15)
      #expect(glyph?.width == width && glyph?.rows == rows, "\(number)")
    }
    for missing in [0x10, 0x21, 0x1F601, 0x10FFFF] as [UInt32] where !numbers.contains(missing) {
      #expect(font.glyph(of: Unicode.Scalar(missing)!) == nil)
    }
  }

  @Test(arguments: ["", "\n", "no font at all, without any line\n", "0041\n", "0041:zz\n", "0041:00\n"])
  func `a file that is no font has no glyphs`(text: String) {
    #expect(HexFont(Array(text.utf8)).glyph(of: "A") == nil)
  }

  @Test func `a character without a glyph is a frame as wide as its columns`() {
    let page = DisplayPage(lines: ["x公x"])
    let picture = page.picture(height: 32) { _ in nil }
    #expect(picture[1, 2] && picture[6, 13] && !picture[7, 2] && picture[9, 2] && picture[22, 2] && !picture[23, 2])
  }

  @Test func `a letter with a bitmap of 16 pixels has two columns`() {
    let wide = Glyph.missing(isWide: true)
    let pages = DisplayPage.pages(of: [String(repeating: "\u{92E}", count: 10)], rows: 4) { _ in wide }
    #expect(pages.map { $0.lines.map(\.unicodeScalars.count) } == [[8, 2]])
    let picture = pages[0].picture(height: 64) { _ in wide }
    #expect(picture[1, 8] && picture[14, 8] && !picture[9, 8] && picture[17, 8] && picture[30, 8])
  }

  @Test func `a mark, and a vowel of a decomposed Hangul syllable, stand over the character before`() {
    let kana = DisplayPage(lines: ["か\u{3099}x"]).picture(height: 32) { $0 == "x" ? nil : Glyph.missing(isWide: true) }
    #expect(kana == DisplayPage(lines: ["かx"]).picture(height: 32) { _ in nil })
    let syllable = DisplayPage(lines: ["\u{1100}\u{1161}x"]).picture(height: 32) { scalar in
      scalar == "\u{1161}" ? Glyph.missing(isWide: false) : nil
    }
    #expect(syllable[1, 8] && syllable[5, 8] && syllable[10, 8] && syllable[14, 8] && syllable[17, 8])
  }

  @Test func `a bar at the edge shows the number of the page`() {
    for number in 0..<4 {
      let picture = DisplayPage(lines: [""], number: number, count: 4).picture(height: 64) { _ in nil }
      for y in 0..<64 { #expect(picture[127, y] == (number * 16..<number * 16 + 16).contains(y)) }
    }
    #expect(DisplayPage(lines: [""]).picture(height: 64) { _ in nil } == Picture(height: 64))
  }
}
