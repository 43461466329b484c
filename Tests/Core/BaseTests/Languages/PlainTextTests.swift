import Base
import Testing

@Test(
  arguments: [
    (" ", true), ("~", true), ("é", true), ("公", true), ("\u{301}", true), ("€", true), ("\u{7}", false),
    ("\u{7F}", false), ("\u{A0}", false), ("\u{3000}", false), ("\u{200B}", false), ("\u{202E}", false),
    ("\u{2028}", false), ("\u{2029}", false), ("\u{E000}", false), ("\u{378}", false),
  ] as [(Unicode.Scalar, Bool)])
func `a character is plain if it is visible or a plain space`(scalar: Unicode.Scalar, isPlain: Bool) {
  #expect(scalar.isPlain == isPlain)
}

@Test(arguments: [("", "", 0), ("ab", "", 0), ("aab", "ab", 1), ("公園", "園", 3), ("ab", "abc", nil), ("", "a", nil)])
func `the first occurrence of a text is found`(text: String, part: String, start: Int?) {
  let range = text.firstRange(ofText: part)
  #expect(range.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == start)
  #expect(range.map { String(text[$0]) } == start.map { _ in part })
}
