import Ports
import Testing

@Test func `a key has 32 bytes, is shown as base64url, is new each time and does not print itself`() {
  for count in [0, 31, 33] { #expect(AppKey(bytes: Array(repeating: 1, count: count)) == nil) }
  #expect(AppKey(bytes: Array(0..<32))?.text == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
  let key = AppKey()
  #expect(key.bytes.count == 32 && key.bytes != AppKey().bytes)
  #expect(!"\(key)".contains(key.text) && !String(reflecting: key).contains(key.text))
}
