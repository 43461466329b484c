import Base
import Testing

@Test(arguments: [
  (#"{"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83d\ude00"]}"#, true), ("01", false), ("1.", false), (".5", false),
  ("1e", false),
  ("+1", false), ("NaN", false), ("tru", false), ("[1,]", false), ("{\"a\":1,}", false), ("{a:1}", false),
  ("\"\u{1}\"", false),
  ("1 2", false), ("-0", true), ("1E+2", true), (" [ ] ", true), ("\"\\x\"", false), ("\"\\u12\"", false), ("-", false),
])
func `JSON is what RFC 8259 says`(text: String, isValid: Bool) {
  #expect((JSONValue(Array(text.utf8)) != nil) == isValid)
}

@Test func `values of JSON are read`() {
  let value = JSONValue(Array(#"{"a":[1,-2.5e3,true,null,"x\n\u00e9\ud83d\ude00\udc00"],"a":2}"#.utf8))
  #expect(value?["a"] == .array([.number(1), .number(-2500), .bool(true), .null, .string("x\né😀\u{FFFD}")]))
}

@Test(arguments: [
  (#"\b\f\n\r\t\/\\\""#, "\u{8}\u{C}\n\r\t/\\\""), (#"\u00e9\u00E9"#, "éé"),
  (#"\ud800\udc00\udbff\udfff"#, "\u{10000}\u{10FFFF}"),
  (#"\ud83d"#, "\u{FFFD}"), (#"\ud83dx"#, "\u{FFFD}x"), (#"\ud83d\n"#, "\u{FFFD}\n"), (#"\ud83d\u0041"#, "\u{FFFD}A"),
  (#"\udfff\udc00"#, "\u{FFFD}\u{FFFD}"), (#"\ud7ff\ue000"#, "\u{D7FF}\u{E000}"),
])
func `an escape gives its character, and a surrogate without the other half gives U+FFFD`(escapes: String, text: String)
{
  #expect(JSONValue(" \t\r\n\"\(escapes)\" \n".utf8) == .string(text))
}

@Test func `a member that is missing or has another type is named`() throws {
  let value = try #require(JSONValue(#"{"a":1.5,"b":"x","c":null,"d":true,"e":7}"#.utf8))
  let (number, text, flag, whole): (Double, String, Bool, Int) = try (
    value.member("a"), value.member("b"), value.member("d"), value.member("e")
  )
  #expect(number == 1.5 && text == "x" && flag && whole == 7)
  for key in ["c", "missing"] { #expect(try value.member(key) as Int? == nil) }
  func message(_ key: String) -> String? {
    do throws(JSONMemberError) {
      let _: Int = try value.member(key)
      return nil
    } catch { return error.description }
  }
  #expect(message("b") == "b has the wrong type" && message("a") == "a cannot be read")
  #expect(message("c") == "c is missing" && message("e") == nil)
}

@Test(arguments: [(9, true), (10, false)])
func `values can be nested eight levels below the outermost value`(depth: Int, isRead: Bool) {
  for (begin, end) in [("[", "]"), ("{\"a\":", "}")] {
    let text = String(repeating: begin, count: depth - 1) + "1" + String(repeating: end, count: depth - 1)
    #expect((JSONValue(text.utf8) != nil) == isRead, "\(text)")
  }
}
