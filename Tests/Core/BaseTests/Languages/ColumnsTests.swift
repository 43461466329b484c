import Base
import SeededNumbers
import Testing

@Test(arguments: [
  ("", 0), ("Bãi đỗ xe ở đâu?", 16), ("公園", 4), ("e\u{301}", 1), ("ｶﾅ", 2), ("パーク", 6), ("한국", 4), ("🚲", 2),
  ("ＡＢ", 4), ("…“”", 3), ("、。", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("a\u{200B}b", 2), ("⚓", 2), ("☁", 1),
  ("☁\u{FE0F}", 2),
  ("\u{20000}", 2), ("〿", 1), ("﹏", 2), ("🇨🇭", 2), ("Straße", 6), ("\u{7}", 0),
])
func `the width is that of a terminal`(text: String, columns: Int) {
  #expect(Columns.width(of: text) == columns)
}

/// The exceptions are angle brackets and squared ideographs, which are wide, and the letters of flags. (UAX #11)
@Test(arguments: [0x2190...0x2328, 0x232B...0x2BFF, 0x1F000...0x1F1E5, 0x1F266...0x1FAFF] as [ClosedRange<UInt32>])
func `a symbol is wide if it is an emoji without a variation selector`(symbols: ClosedRange<UInt32>) {
  for scalar in symbols.compactMap(Unicode.Scalar.init) where scalar.properties.generalCategory != .unassigned {
    #expect(Columns.width(of: scalar) == (scalar.properties.isEmojiPresentation ? 2 : 1), "\(scalar.value)")
  }
}

@Test func `the characters of East Asian scripts are wide from the first to the last`() {
  let wide: [UInt32] = [
    0x1100, 0x115F, 0x2329, 0x232A, 0x2E80, 0x303E, 0x3041, 0x3247, 0x3250, 0x4DBF, 0x4E00, 0xA4C6, 0xA960, 0xA97C,
    0xAC00, 0xD7A3, 0xF900, 0xFAD9, 0xFE10, 0xFE19, 0xFE30, 0xFE6B, 0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x16FE0, 0x1B2FB,
    0x1F200, 0x1F265, 0x20000, 0x2FFFD, 0x30000, 0x3FFFD,
  ]
  let narrow: [UInt32] = [
    0x10FF, 0x2E7F, 0x303F, 0x3040, 0x3248, 0x324F, 0x4DC0, 0x4DFF, 0xA4C7, 0xA4D0, 0xA95F, 0xA97D, 0xABFF, 0xD7A4,
    0xF8FF, 0xFB00, 0xFE1A, 0xFE6C, 0xFF00, 0xFF61, 0xFFDF, 0xFFE7, 0x16FDF, 0x1B2FC, 0x1F1FF, 0x1FFFF, 0x2FFFE,
    0x2FFFF,
    0x3FFFE,
  ]
  for (values, columns) in [(wide, 2), (narrow, 1)] {
    for scalar in values.compactMap(Unicode.Scalar.init) {
      #expect(Columns.width(of: scalar) == columns, "\(scalar.value)")
    }
  }
}

@Test(arguments: [
  ("公園を探す", 10, "公園を探す"), ("公園を探す", 9, "公園を探…"), ("公園を探す", 8, "公園を…"), ("park", 4, "park"),
  ("parks", 4, "par…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("park", 1, "…"), ("park", 0, ""), ("公", 1, "…"),
])
func `a cut text has at most the given width and shows that it is cut`(text: String, room: Int, cut: String) {
  #expect(Columns.clipped(text, to: room) == cut)
}

@Test(arguments: [
  ("ferry-north", 11, "ferry-north"), ("ferry-north", 10, "ferry…orth"), ("ferry-north", 5, "fe…th"),
  ("ferry-north", 4, "fe…h"), ("ferry-north", 3, "f…h"), ("ferry-north", 2, "f…"), ("公園を探す", 9, "公園…探す"),
  ("公園を探す", 8, "公園…す"),
])
func `a shortened text keeps its beginning and its end`(text: String, room: Int, shortened: String) {
  #expect(Columns.shortened(text, to: room) == shortened)
}

@Test func `padded texts end in the same column`() {
  for text in ["ferry", "公園", "ｶﾅ", "한국", "e\u{301}"] {
    #expect(Columns.width(of: Columns.padded(text, to: 9)) == 9 && Columns.padded(text, to: 9).hasPrefix(text))
    #expect(Columns.padded(text, to: 1) == text)
  }
}

@Test(arguments: [
  ("one two three", 7, ["one two", "  three"]), ("one", 7, ["one"]), ("", 7, [""]),
  ("onetwothree", 4, ["onet", "  wo", "  th", "  re", "  e"]),
  ("公園を探す、今日も。", 8, ["公園を探", "  す、今", "  日も。"]), ("one, two,  three", 6, ["one,", "  two,", "  thre", "  e"]),
])
func `a line breaks by the rules of its language`(text: String, room: Int, lines: [String]) {
  #expect(Columns.wrapped(text, to: room, indent: 2) == lines)
}

@Test func `wrapping keeps all letters and the width`() {
  var random = SplitMix64(seed: 20_261_122)
  let parts = ["a", "bc", "ế", "公", "、", "（", "す。", " ", "  ", "🚲", "e\u{301}", "”"]
  for _ in 0..<5000 {
    let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
      .joined()
    let room = Int.random(in: 6...24, using: &random)
    let lines = Columns.wrapped(text, to: room, indent: 2)
    #expect(lines.allSatisfy { Columns.width(of: $0) <= room }, "\(text)")
    #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    #expect(Columns.width(of: Columns.clipped(text, to: room)) <= room)
  }
}
