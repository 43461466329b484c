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

@Test(arguments: [
  ("公園を探す", 10, "公園を探す"), ("公園を探す", 9, "公園を探…"), ("公園を探す", 8, "公園を…"), ("park", 4, "park"),
  ("parks", 4, "par…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("park", 1, "…"), ("park", 0, ""), ("公", 1, "…"),
])
func `a cut text has at most the given width and shows that it is cut`(text: String, room: Int, cut: String) {
  #expect(Columns.clipped(text, to: room) == cut)
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
