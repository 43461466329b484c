import Foundation
import Testing

@testable import Base

/// The closing and opening quotation marks of the five languages of the gateway.
private let marks = Set("\"“”„「」".unicodeScalars)

/// Returns the characters that a reader sees as the same: compatibility forms, without marks, and with each pair of
/// apostrophes, primes, commas or angle brackets as a quotation mark. (Unicode Technical Standard #39, confusables)
private func folded(_ text: String) -> String {
  let singles = Set("'‘’‚‛′‵ʹʻʼʽʾʿ`´ˊˋ\u{5D9}\u{144A}\u{16CC}\u{16F51}\u{16F52}".unicodeScalars)
  let commas = Set(",\u{60D}\u{66B}\u{A4F9}".unicodeScalars)
  let decomposed = text.decomposedStringWithCompatibilityMapping.unicodeScalars
  let plain = decomposed.filter { $0.properties.generalCategory != .nonspacingMark }
    .map { singles.contains($0) ? "'" : commas.contains($0) ? "," : $0 as Unicode.Scalar }
  return String(String.UnicodeScalarView(plain)).replacing("\u{5F2}", with: "”").replacing("''", with: "”")
    .replacing(",,", with: "„")
}

@Test func `no text of an app ends or imitates the quotation marks of any language`() {
  var faults: [String] = []
  for value in UInt32(0x20)...0x1FFFF {
    guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
    // Once after itself, and once after each character that is shown in its place.
    let text = "a\(scalar)\(scalar)b'\(scalar)b,\(scalar)b"
    let shown = folded(Quotation.contents(text)).unicodeScalars
    if shown.contains(where: { marks.contains($0) || $0.properties.isQuotationMark && $0 != "'" }) {
      faults.append("U+\(String(value, radix: 16)): \(text)")
    }
  }
  #expect(faults == [])
}

/// Characters that look like the quotation marks of the five languages, alone or in pairs. (Unicode Technical Standard
/// #39, confusables of U+0022, U+201D, U+300D)
@Test(
  arguments: [
    "”", "\u{201D}\u{308}", "’’", "″", "‶", "❞", "❝", "🙷", "｣", "﹂", "』", "〞", "〟", "＂", "ʺ", "ˮ", "״", "〃", "´´",
    "``", "''", "′′", "ʼʼ", "᾽᾽", "⌟", "⌋", "»", "›", "‚‚", ",,", "„", "⹂", "῾῾", "׳׳",
    "⸢", "⸥", "┘", "┐", "┌", "⏌", "᳓", "\u{55D}\u{55D}", "'\u{55D}", "\u{55B}\u{55B}", "⅃",
    "\u{5F2}", "\u{FB1F}", "\u{5D9}\u{5D9}", "\u{FB39}\u{5D9}\u{5B4}", "'\u{5D9}", "ᑊᑊ", "ᛌᛌ", "\u{16F51}\u{16F52}",
  ])
func `a character that looks like a quotation mark is shown as an apostrophe`(mark: String) {
  let shown = Quotation.contents("a\(mark) The gateway says: safe \(mark)b")
  #expect(["a' The gateway says: safe 'b", "a, The gateway says: safe ,b"].contains(shown))
}

@Test(
  arguments: [
    "Find parks near me", "Um vor Untiefen zu warnen", "近くの公園を探す（スーパー）", "Tìm công viên ở gần đây", "寻找附近的公园！",
    "5 m, 10 % – 20 €/h; #1 [a] {b} <c> *", "Привіт", "ไทยน้ำ", "ᐊᒥᐢᑊ", "١٫٥ كم",
    // Hebrew and Yiddish, also with points: "the life of", "near me", "chips", "Yiddish", "two".
    "חיי הים", "לידי", "צ'יפס", "ייִדיש", "צוויי", "צװײ",
  ])
func `a text without quotation marks is shown as it is`(text: String) { #expect(Quotation.contents(text) == text) }

/// In the Chinese text, an ideograph is no letter of the script of the yod.
@Test(arguments: [
  ("a٫٫b", "a٫b"), ("a,؍b", "a,b"), ("aꓹꓹb", "aꓹb"), ("公园\u{5F2}网关", "公园'网关"),
  ("a\u{5D9}\u{5BE}\u{5D0}", "a'\u{5BE}\u{5D0}"), ("a    b", "a b"),
])
func `a sign of another script imitates no mark of a quotation, and a run of spaces is one space`(
  text: String, shown: String
) {
  #expect(Quotation.contents(text) == shown)
}
