import Base
import LineProtocol
import Testing

private let key = SecretKey(Array(UInt8(0)...31))

@Test(arguments: [
  // The proofs were computed with another library.
  (KeyProof.Role.server, "", "94351f0b5d46f70eb88aac845bcc835e2d4283f2a3cad4c14e0002866ac34547"),
  (.client, "", "b0cca5c0686df314f527c878263fc259701d66c829ffacbd37f579c237eb4876"),
  (.server, String(repeating: "ab", count: 32), "a0c9a3632e0d22d40acf0cda366e6e939baef1d17259b289c8799eea5e866994"),
  (.client, String(repeating: "ab", count: 32), "45f65fffec50e587a982d1fe736319fb3e503b280c0af28c825a2eceecb1c1bf"),
])
func `a proof is the HMAC of its parts, separated by line feeds`(role: KeyProof.Role, binding: String, digits: String) {
  let proof = KeyProof(
    gateway: "boat-7", app: "park-finder", serverNonce: String(repeating: "1", count: 32),
    clientNonce: String(repeating: "2", count: 32), binding: binding)
  #expect(proof.digits(role, with: key) == digits)
  #expect(proof.isRight(digits, of: role, with: key))
}

@Test func `a proof with another part, another role, another key or another digit is wrong`() {
  let proof = KeyProof(gateway: "g", app: "a", serverNonce: "s", clientNonce: "c", binding: "b")
  let digits = proof.digits(.server, with: key)
  for path in [\KeyProof.gateway, \.app, \.serverNonce, \.clientNonce, \.binding] {
    var other = proof
    other[keyPath: path] += "x"
    #expect(!other.isRight(digits, of: .server, with: key))
  }
  #expect(!proof.isRight(digits, of: .client, with: key))
  #expect(!proof.isRight(digits, of: .server, with: SecretKey(Array(UInt8(1)...32))))
  for index in digits.indices {
    var other = digits
    other.replaceSubrange(index...index, with: digits[index] == "0" ? "1" : "0")
    #expect(!proof.isRight(other, of: .server, with: key))
  }
  for text in [
    "", "0", String(digits.dropLast()), String(digits.dropLast(2)), digits + "00", "zz" + digits.dropFirst(2),
  ] {
    #expect(!proof.isRight(text, of: .server, with: key))
  }
}
