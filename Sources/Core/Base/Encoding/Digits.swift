extension BinaryInteger {
  /// Returns the digits of the number in lower case, with leading zeros if there are fewer than `width` digits.
  ///
  /// - Parameters:
  ///   - width: The minimum count of digits.
  ///   - radix: The base of the digits, 2...36.
  package func digits(_ width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

extension Double {
  /// Returns the number as text with exactly `decimals` digits after the point, at least one.
  package func decimal(_ decimals: Int, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> String {
    let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((magnitude * Double(scale)).rounded(rule))
    return "\(self < 0 && scaled > 0 ? "-" : "")\(scaled / scale).\((scaled % scale).digits(decimals))"
  }
}
