/// Functions that escape texts for HTML, SVG and XML.
package enum Markup {
  /// Returns the text with escaped special characters, so that the result can stand inside an element or a quoted
  /// attribute. A control character becomes U+FFFD, because HTML, SVG and XML do not allow control characters.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
