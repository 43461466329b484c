@testable import Base
import Testing

private func bytes(_ text: String) throws -> [UInt8] { try #require([UInt8](hexadecimal: text)) }

@Suite struct CryptographyTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `a hash is that of FIPS 180`(text: String, hash: String) {
    #expect(SHA256.hash(Array(text.utf8)).hexadecimal == hash)
  }

  @Test func `each code is that of RFC 4231, also after other codes with the same key`() throws {
    let authenticator = Authenticator(SecretKey(Array("Jefe".utf8)))
    let message = Array("what do ya want for nothing?".utf8)
    let code = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    for _ in 0..<3 {
      #expect(authenticator.code(of: message).hexadecimal == code)
      #expect(authenticator.code(of: []) != authenticator.code(of: message))
    }
    #expect(authenticator.isCode(try bytes(code), of: message))
    #expect(!authenticator.isCode(try bytes(code), of: []))
    #expect(!authenticator.isCode([], of: message))
  }

  @Test func `several threads can use one key`() async {
    let authenticator = Authenticator(SecretKey([1]))
    let expected = (0..<64).map { Authenticator(SecretKey([1])).code(of: [$0]) }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for number in 0..<64 { #expect(authenticator.code(of: [UInt8(number)]) == expected[number]) }
        }
      }
    }
  }

  @Test func `derived keys are those of RFC 5869`() throws {
    let secret = [UInt8](repeating: 0x0b, count: 22)
    // Appendix A.1 and A.3.
    let key = HKDF.extract(secret, salt: Array(0...12))
    #expect(key.hexadecimal == "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
    #expect(
      HKDF.expand(key, info: Array(0xf0...0xf9), count: 42).hexadecimal
        == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    #expect(
      HKDF.derive(from: SecretKey(secret), info: []).bytes.hexadecimal
        == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
  }

  @Test func `an encrypted text is that of RFC 8439`() throws {
    // Section 2.8.2.
    let key = SecretKey(Array(0x80...0x9f))
    let nonce = try bytes("070000004041424344454647")
    let context = try bytes("50515253c0c1c2c3c4c5c6c7")
    let text = Array(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
        .utf8)
    let sealed = ChaChaPoly.seal(text, with: key, nonce: nonce, context: context)
    #expect(sealed.prefix(16).map { $0 } == (try bytes("d31a8d34648e60db7b86afbc53ef7ec2")))
    #expect(sealed.suffix(16).map { $0 } == (try bytes("1ae10b594f09e26a7e902ecbd0600691")))
    #expect(ChaChaPoly.open(sealed, with: key, nonce: nonce, context: context) == text)
  }

  @Test(arguments: [0, 1, 300])
  func `a sealed text opens only unchanged, with its key and context`(count: Int) {
    let key = SecretKey()
    let text = randomBytes(count)
    let sealed = ChaChaPoly.seal(text, with: key, context: [1])
    #expect(ChaChaPoly.open(sealed, with: key, context: [1]) == text)
    #expect(ChaChaPoly.open(sealed, with: key, context: [2]) == nil)
    #expect(ChaChaPoly.open(sealed, with: SecretKey(), context: [1]) == nil)
    #expect(ChaChaPoly.open(sealed, with: SecretKey([1]), context: [1]) == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(ChaChaPoly.open(changed, with: key, context: [1]) == nil, "byte \(index)")
      #expect(ChaChaPoly.open(Array(sealed.prefix(index)), with: key, context: [1]) == nil, "\(index) bytes")
    }
    #expect(ChaChaPoly.seal(text, with: key, context: [1]) != sealed)
  }

  @Test func `two sides agree on the secret of RFC 7748`() throws {
    // Section 6.1.
    let alice = SecretKey(try bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    let bob = SecretKey(try bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    let (first, second) = (X25519.PublicKey(of: alice), X25519.PublicKey(of: bob))
    #expect(first.bytes.hexadecimal == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    #expect(second.bytes.hexadecimal == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    let secret = try bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    #expect(X25519.sharedSecret(of: alice, with: second) == secret)
    #expect(X25519.sharedSecret(of: bob, with: first) == secret)
  }

  @Test(arguments: [
    [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), [], [UInt8](repeating: 9, count: 31),
  ])
  func `a weak public key is refused`(bytes: [UInt8]) { #expect(X25519.PublicKey(bytes) == nil) }

  @Test func `a message for a public key is that of RFC 9180`() throws {
    // Appendix A.2.1.
    let publicKey = try #require(
      X25519.PublicKey(bytes("4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a")))
    let sender = SecretKey(try bytes("f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600"))
    let sealed = HPKE.seal(
      Array("Beauty is truth, truth beauty".utf8), for: publicKey, info: Array("Ode on a Grecian Urn".utf8),
      context: Array("Count-0".utf8), ephemeral: sender)
    #expect(
      sealed.prefix(32).map { $0 }.hexadecimal == "1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a")
    #expect(
      sealed.dropFirst(32).map { $0 }.hexadecimal
        == "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28")
  }

  @Test func `a key is compared by its bytes, and is never shown`() {
    let key = SecretKey([1, 2, 3])
    #expect(key == SecretKey([1, 2, 3]) && key != SecretKey([1, 2, 4]) && key != SecretKey([1, 2]))
    #expect(!"\(key) \(String(reflecting: key))".contains("1, 2"))
    #expect(SecretKey() != SecretKey() && SecretKey().bytes.count == 32)
  }
}
