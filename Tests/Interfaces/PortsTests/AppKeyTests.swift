import Ports
import Testing

@Test(
  arguments: [
    (Array(0..<32), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
    (Array(repeating: [0xFB, 0xFF], count: 16).flatMap { $0 }, "-__7__v_-__7__v_-__7__v_-__7__v_-__7__v_-_8"),
  ] as [([UInt8], String)])
func `a key is shown as base64url without padding`(bytes: [UInt8], text: String) throws {
  #expect(try #require(AppKey(bytes: bytes)).text == text)
}

@Test func `a key has 32 bytes, is new each time and does not print itself`() {
  for count in [0, 31, 33] { #expect(AppKey(bytes: Array(repeating: 1, count: count)) == nil) }
  let key = AppKey()
  #expect(key.bytes.count == 32 && key.bytes != AppKey().bytes)
  #expect(!"\(key)".contains(key.text) && !String(reflecting: key).contains(key.text))
}
