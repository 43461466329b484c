import Configuration
import Testing

@testable import Features

@Suite struct HTTPFeatureTests {
  private func told(_ table: String) -> [String] { faults(outputApps + "[[http]]\n" + table) }

  @Test func `a web server has an address, an app and a format, and identifies its app`() throws {
    let text = #"""
      [[app]] | id = "family" | [[http]] | url = "https://maps.example.org/api/points?api_key=SECRET" \#
      | app = "family" | format = "owntracks" | user = "boat" | password_file = "/etc/onefix/web" \#
      | ca = "/etc/onefix/ca.pem" | [[http]] | url = "http://127.0.0.1:5055" | app = "family" | format = "osmand" \#
      | bearer_file = "/etc/onefix/token" | [[http]] | url = "http://maps.lan/fix" | app = "family" \#
      | format = "json" | plain = true
      """#
    let found = try #require(try read(text, as: HTTPFeature.self)).outputs
    #expect(
      found.map { "\($0.address.origin) \($0.address.target) \($0.format) \($0.location) \($0.ca ?? "")" } == [
        "https://maps.example.org /api/points?api_key=SECRET owntracks onefix.toml:4 /etc/onefix/ca.pem",
        "http://127.0.0.1:5055 / osmand onefix.toml:11 ", "http://maps.lan /fix json onefix.toml:16 ",
      ])
    #expect(
      found.map(\.credentials)
        == [.password(user: "boat", file: "/etc/onefix/web"), .bearer(file: "/etc/onefix/token"), nil])
  }

  private static let good = #"url = "https://m.example.org" | app = "family" | format = "json""#

  static let invalid = """
    → [[http]] needs 'url' & [[http]] needs 'app' & [[http]] needs 'format'
    url = "https://m.example.org" | app = "famly" | format = "json" → no [[app]] has the id 'famly'
    url = "https://m.example.org" | app = "screen" | format = "json" → 'screen' is a display
    url = "https://m.example.org" | app = "family" | format = "gpx" → must be 'owntracks', 'osmand' or 'json'
    url = "https://m.example.org/?id=1" | app = "family" | format = "osmand" → must have no query with format 'osmand'
    url = "http://m.example.org" | app = "family" | format = "json" \
      → uses no TLS, so others could read each fix (use 'https://', or 'plain = true'
    url = "http://127.0.0.1" | ca = "/c" | app = "family" | format = "json" → 'ca' in [[http]] is valid only
    \(good) | user = "boat" → 'user' in [[http]] needs 'password_file'
    \(good) | password_file = "/p" → 'password_file' in [[http]] needs 'user'
    \(good) | user = "a:b" | password_file = "/p" → 'user' in [[http]] must not contain ':'
    \(good) | user = "boat" | password_file = "/p" | bearer_file = "/b" \
      → 'bearer_file' in [[http]] cannot be used with 'user' and 'password_file'
    \(good) | [[http]] | \(good) → https://m.example.org for family as json is configured twice (first in line 9)
    \(good) | [[http]] | url = "https://M.Example.org:443/x" | app = "family" | format = "json" \
      → https://m.example.org for family as json is configured twice (first in line 9)
    url = "http://[::1]" | app = "family" | format = "json" | [[http]] | url = "http://[0:0::1]:80/" | app = "family" \
      | format = "json" → http://[::1] for family as json is configured twice (first in line 9)
    """

  @Test(arguments: [
    "https://boat:secret@m.example.org/", "https://boat@m.example.org", "https://m.example.org/#x", "m.example.org",
    "ftp://m.example.org", "https://", "https://m.example.org:0/", "https://m.example.org:70000/",
    "https://m.example.org/a b", "https://m.example.org/ü", "https://[::g]/",
  ])
  func `an address with a user, a fragment or another form is refused, and the message does not repeat the address`(
    url: String
  ) {
    let found = told("url = \"\(url)\"\napp = \"family\"\nformat = \"json\"")
    #expect(found.count == 1 && found[0].contains("'url' in [[http]] must be as in 'https://maps.example.org/pub'"))
    #expect(found[0].contains("with at most 2000 characters of ASCII"))
    #expect(!found[0].contains("secret"))
  }
}
