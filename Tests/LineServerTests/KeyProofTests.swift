import LineServer
import Testing

private func proof(binding: String = "") -> KeyProof {
  KeyProof(
    gateway: "boat-7", app: "ferry", serverNonce: "00112233445566778899aabbccddeeff",
    clientNonce: "FFEEDDCCBBAA99887766554433221100", binding: binding)
}

private func key(_ bytes: [UInt8] = Array(0..<32)) throws -> AppKey { try #require(AppKey(bytes: bytes)) }

/// Computed with Python's hmac over the text of the contract.
@Test(arguments: [
  (
    "", "df5e574dbf26c2c8ae7c92b3f86c029eb87dc72ab61b047b7dbf61e897866bf5",
    "320da6a23b008ebf32edd8d61ea960f808c65d4eea06e671a46e737499ce1253"
  ),
  (
    String(repeating: "ab", count: 32), "84122a890d97e1ab2246bf3b9d9d46240d9097f4816a9586b8266a3661a34a70",
    "a56fdeaa55db3221195d65f32a04b9ca261a917719911cef2e028d0ad7d4cb97"
  ),
])
func `both sides' proofs are the HMAC-SHA-256 of the contract`(binding: String, server: String, client: String) throws {
  let proof = proof(binding: binding)
  #expect(proof.digits(.server, with: try key()) == server)
  #expect(proof.digits(.client, with: try key()) == client)
  #expect(proof.isClient(client, with: try key()))
  #expect(proof.isClient(client.uppercased(), with: try key()))
  #expect(!proof.isClient(server, with: try key()))
}

@Test func `a proof is good for nothing but what it was made for`() throws {
  let digits = proof().digits(.client, with: try key())
  var others = [proof(), proof(), proof(), proof(), proof()]
  others[0].gateway = "boat-8"
  others[1].app = "ferrz"
  others[2].serverNonce = "00112233445566778899aabbccddeefe"
  others[3].clientNonce = "ffeeddccbbaa99887766554433221100"
  others[4].binding = String(repeating: "ab", count: 32)
  for other in others { #expect(!other.isClient(digits, with: try key())) }
  #expect(!proof().isClient(digits, with: AppKey()))
}

@Test func `one wrong digit, or one too few or too many, is no proof`() throws {
  let digits = Array(proof().digits(.client, with: try key()).utf8)
  for index in digits.indices {
    var wrong = digits
    wrong[index] = wrong[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    #expect(!proof().isClient(String(decoding: wrong, as: UTF8.self), with: try key()))
  }
  for wrong in [Array(digits.dropLast()), Array(digits.dropLast(2)), digits + [0x30, 0x30], [], [0x67, 0x67]] {
    #expect(!proof().isClient(String(decoding: wrong, as: UTF8.self), with: try key()))
  }
}

@Test(
  arguments: [
    (Array(0..<32), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
    (Array(repeating: [0xFB, 0xFF], count: 16).flatMap { $0 }, "-__7__v_-__7__v_-__7__v_-__7__v_-__7__v_-_8"),
  ] as [([UInt8], String)])
func `a key is shown as base64url without padding`(bytes: [UInt8], text: String) throws {
  #expect(try key(bytes).text == text)
}

@Test func `a key has 32 bytes, is new each time and does not print itself`() {
  for count in [0, 31, 33] { #expect(AppKey(bytes: Array(repeating: 1, count: count)) == nil) }
  let key = AppKey()
  #expect(key.bytes.count == 32 && key.bytes != AppKey().bytes)
  #expect(!"\(key)".contains(key.text) && !String(reflecting: key).contains(key.text))
}
