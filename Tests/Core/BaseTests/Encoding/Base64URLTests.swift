import Base
import Foundation
import SeededNumbers
import Testing

@Test func `base64url agrees with another library in both directions`() {
  var numbers = SplitMix64(seed: 1)
  for count in 0..<100 {
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    let text = Base64URL.text(of: bytes)
    let other = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    #expect(text == other.replacing("=", with: ""))
    #expect(Base64URL.bytes(of: text) == bytes)
    #expect(Base64URL.bytes(of: other) == bytes)
  }
}

@Test(arguments: ["A", "AB", "AAB", "AA=", "AA===", "AA+A", "AA/A", "A A", "AAAA=", "ÄAAA", "AAAAA"])
func `text that is not canonical base64url is rejected`(text: String) {
  #expect(Base64URL.bytes(of: text) == nil)
}
