import Base
import SeededNumbers
import Testing

private func decimal(_ value: Double) -> String {
  var buffer = TextBuffer()
  buffer.append(value)
  return buffer.text
}

/// Returns the standard library's shortest text of a value; nil if the text has an exponent.
private func shortest(_ value: Double) -> String? {
  let text = value.description
  guard !text.contains("e"), let fraction = text.split(separator: ".").last, fraction.count <= 10 else { return nil }
  return text
}

@Test(arguments: [1.0, 90, 180, 9000, 224_999, 225_001, 1e6, 8.9e8])
func `decimals are the shortest that give the value back`(magnitude: Double) {
  var noise = SplitMix64(seed: 1)
  let powers = [10, 1e3, 1e4, 1e5, 1e7, 1e9, 1e10, 1e11, 1e13]
  for _ in 0..<20_000 {
    let digits = powers.randomElement(using: &noise)!
    let value = (Double.random(in: -magnitude...magnitude, using: &noise) * digits).rounded() / digits
    let text = decimal(value)
    if let shortest = shortest(value), value != 0 {
      #expect(text == shortest)
    } else {
      #expect(abs(Double(text)! - value) <= 0.5e-10 + 2 * value.ulp)
      #expect(text.split(separator: ".").last!.count <= 10)
    }
  }
}

@Test(arguments: [
  (Double.nan, ""), (.infinity, ""), (-.infinity, ""), (9e8, ""), (-9e8, ""), (899_999_999.5, "899999999.5"),
  (-899_999_999.5, "-899999999.5"),
])
func `a number has decimals if its magnitude is below 900 million`(value: Double, text: String) {
  #expect(decimal(value) == text)
}

@Test(arguments: [
  (Int64.min, "-9223372036854775808"), (.max, "9223372036854775807"), (0, "0"), (-10, "-10"), (909, "909"),
])
func `whole numbers have all their digits`(value: Int64, text: String) {
  var buffer = TextBuffer()
  buffer.append(value)
  #expect(buffer.text == text)
}

@Test func `a buffer that is emptied begins anew`() {
  var buffer = TextBuffer()
  for _ in 0..<2 {
    buffer.removeAll()
    buffer.beginObject()
    buffer.add("a", 1)
    buffer.add("b", "c")
    buffer.endObject()
    #expect(buffer.text == #"{"a":1,"b":"c"}"#)
  }
}

@Test func `a part of a text is appended with its mark only if there is a value`() {
  var buffer = TextBuffer()
  buffer.append(" a=", "x")
  buffer.append(" b=", nil as String?)
  buffer.append(" c=", 7)
  buffer.append(" d=", nil as Int?)
  #expect(buffer.text == " a=x c=7" && buffer.count == 8)
  buffer.truncate(to: 2)
  #expect(buffer.text == " a")
}

@Test func `a word has no spaces and no control characters`() {
  var buffer = TextBuffer()
  buffer.append("a b ")
  buffer.append(word: "c d\u{1F}!~\u{7F}é")
  #expect(buffer.text == "a b c-d-!~-é")
}
