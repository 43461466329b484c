import Testing

@testable import LineProtocol

@Test(
  arguments: [
    ("a", true), ("0", true), ("z", true), ("9", true), ("park-finder", true), ("a.b_c-d", true), ("a-", true),
    (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false), ("", false), ("-a", false),
    (".a", false), ("_a", false), ("A", false), ("aB", false), ("a b", false), ("a/b", false), ("a`", false),
    ("a{", false), ("a:", false), ("ä", false),
  ] as [(String, Bool)])
func `the id of an app has 1 to 64 lower-case letters, digits, dots, hyphens and underscores`(
  name: String, isValid: Bool
) {
  #expect(AppID(name)?.name == (isValid ? name : nil))
}
