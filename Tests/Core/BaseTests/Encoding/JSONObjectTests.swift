import Base
import Testing

@Test(arguments: [
  (47.376888, "47.376888"), (0.0, "0.0"), (-0.0, "0.0"), (-8.5, "-8.5"), (35.16539393333333, "35.1653939333"),
  (1e-5, "0.00001"), (-1e-5, "-0.00001"), (1e-11, "0.0"), (-1e-11, "0.0"), (179.99999999999997, "180.0"),
  (123_456_789.25, "123456789.25"), (0.1 + 0.2, "0.3"), (408.0, "408.0"),
])
func `a number has the shortest decimals that give it back, at most ten, and no exponent`(value: Double, text: String) {
  #expect(JSONObject.text(["v": value]) == "{\"v\":\(text)}")
}

@Test func `members are written in order, and what is unknown or no number is absent`() {
  let unknown: String? = nil
  #expect(JSONObject.text(["a": nil, "b": Double.nan, "c": -Double.infinity, "d": unknown]) == "{}")
  var object: JSONObject = ["b": true, "a": 1]
  object.add("c", ["x", "y"])
  object.add("d", [["e": UTCTime(nanosecondsSince1970: 0)] as JSONObject, [:]])
  object.add("f", JSONText("null"))
  let text = #"{"b":true,"a":1,"c":["x","y"],"d":[{"e":"1970-01-01T00:00:00.000Z"},{}],"f":null}"#
  #expect(object.text == text)
  #expect((["g": 2] + object + [:]).text == #"{"g":2,"# + text.dropFirst())
  #expect(([:] + object).text == text)
}

@Test(arguments: [
  ("\u{1F}", "\\u001f"), (" ~", " ~"), ("\u{80}", "\\u0080"), ("\u{9F}", "\\u009f"), ("\u{A0}", "\u{A0}"),
  ("\u{2027}\u{2029}\u{202A}", "\u{2027}\\u2029\u{202A}"), ("/", "/"),
  ("a\"b\\c\n\u{7F}\u{2028}é公", "a\\\"b\\\\c\\u000a\\u007f\\u2028é公"),
])
func `only quotation marks, backslashes, control characters and line separators are escaped`(
  text: String, escaped: String
) {
  #expect(JSONObject.text(["t": text]) == "{\"t\":\"\(escaped)\"}")
}
