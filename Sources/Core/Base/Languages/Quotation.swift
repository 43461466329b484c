/// Functions for texts from apps that are shown between quotation marks.
package enum Quotation {
  /// Returns a copy of a text for use between quotation marks. Each character that ends or imitates a quotation is
  /// replaced by an apostrophe. Several such characters in a row become one apostrophe. Several commas or spaces in a
  /// row become one.
  ///
  /// The characters are found by their Unicode properties, and not by a list. (Unicode Standard Annex #44,
  /// "Quotation_Mark", "General_Category", "Name")
  package static func contents(_ text: String) -> String {
    var contents = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let shown: Unicode.Scalar = scalar.imitatesQuotationMark ? "'" : scalar
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
    "ARMENIAN COMMA",
  ]

  fileprivate var isComma: Bool {
    self == "," || properties.generalCategory == .otherPunctuation && properties.name?.contains(text: "COMMA") == true
  }

  fileprivate var isMark: Bool {
    [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  fileprivate var imitatesQuotationMark: Bool {
    if properties.isQuotationMark { return true }
    switch properties.generalCategory {
    case .initialPunctuation, .finalPunctuation: return true
    // Accents without a letter.
    case .modifierSymbol: return self != "^"
    case .otherLetter, .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark: return false
    default: break
    }
    guard !isASCII, let name = properties.name else { return false }
    return Self.imitations.contains { name.contains(text: $0) }
  }
}
