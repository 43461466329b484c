/// Functions for texts from apps that are shown between quotation marks.
package enum Quotation {
  /// Returns a copy of a text for use between quotation marks. Each character that ends or imitates a quotation is
  /// replaced by an apostrophe. Several such characters in a row become one apostrophe. Several commas or spaces in a
  /// row become one.
  ///
  /// The characters are found by their Unicode properties, and not by a list. (Unicode Standard Annex #44,
  /// "Quotation_Mark", "General_Category", "Name") Only letters and signs of other scripts are in a list. A letter that
  /// looks like an apostrophe stays beside another letter of its script, so that words stay readable.
  package static func contents(_ text: String) -> String {
    var contents = String.UnicodeScalarView()
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let isMark =
        scalar.imitatesQuotationMark
        || scalar.looksLikeApostrophe
          && !scalar.isInWord(between: scalars[..<index], and: scalars[(index + 1)...])
      let shown: Unicode.Scalar = isMark ? "'" : scalar
      if let last = contents.last,
        shown == last && (shown == "'" || shown == " ") || shown.isComma && last.isComma
          || shown.isMark && last == "'"
      {
        continue
      }
      contents.append(shown)
    }
    return String(contents)
  }
}

extension Unicode.Scalar {
  /// Words in the Unicode names of characters that look like a quotation mark, alone or in pairs.
  private static let imitations = [
    "QUOTATION", "APOSTROPHE", "PRIME", "DITTO", "GERESH", "GERSHAYIM", "CORNER", "FLOOR", "CEILING", "SALTILLO",
    "MODIFIER LETTER", "HALF RING", "NUMERAL SIGN", "HALF BRACKET", "BOX DRAWINGS", "DENTISTRY", "NIHSHVASA",
    "ARMENIAN COMMA", "ARMENIAN EMPHASIS", "REVERSED SANS-SERIF CAPITAL L",
  ]

  /// Letters and marks that look like an apostrophe: the Hebrew yod and double yod, with and without points, a letter
  /// of Cree, a rune, and two signs of Miao. (Unicode Technical Standard #39, confusables of U+0027)
  private static let apostrophes: Set<Unicode.Scalar> = [
    "\u{5D9}", "\u{5F2}", "\u{FB1D}", "\u{FB1F}", "\u{FB39}", "\u{144A}", "\u{16CC}", "\u{16F51}", "\u{16F52}",
  ]
  /// The comma, and signs of Arabic and Lisu that look like a comma. (Unicode Technical Standard #39, confusables of
  /// U+002C)
  private static let commas: Set<Unicode.Scalar> = [",", "\u{60D}", "\u{66B}", "\u{A4F9}"]

  fileprivate var looksLikeApostrophe: Bool { Self.apostrophes.contains(self) }

  /// Returns whether the next letter on one side belongs to the same script. Marks, and letters that look like an
  /// apostrophe, are skipped.
  fileprivate func isInWord(
    between before: ArraySlice<Unicode.Scalar>, and after: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    let isSkipped = { (scalar: Unicode.Scalar) in scalar.isMark || scalar.looksLikeApostrophe }
    return [before.last { !isSkipped($0) }, after.first { !isSkipped($0) }].contains { beside in
      beside?.properties.generalCategory == .otherLetter && beside?.script == script
    }
  }

  /// The first word of the Unicode name, which is the script of a letter.
  private var script: Substring? { properties.name?.prefix { $0 != " " } }

  fileprivate var isComma: Bool {
    Self.commas.contains(self)
      || properties.generalCategory == .otherPunctuation && properties.name?.contains(text: "COMMA") == true
  }

  fileprivate var isMark: Bool {
    [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  fileprivate var imitatesQuotationMark: Bool {
    if properties.isQuotationMark { return true }
    switch properties.generalCategory {
    case .initialPunctuation, .finalPunctuation: return true
    // A modifier symbol is an accent without a letter.
    case .modifierSymbol: return self != "^"
    case .otherLetter, .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark: return false
    default: break
    }
    guard !isASCII, let name = properties.name else { return false }
    return Self.imitations.contains { name.contains(text: $0) }
  }
}
