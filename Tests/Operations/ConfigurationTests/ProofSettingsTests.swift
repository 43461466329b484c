import Testing

@testable import Configuration

@Suite struct ProofSettingsTests {
  private static let digits = String(repeating: "0aF", count: 21) + "7"

  @Test func `an app can have a key or a certificate in addition to a process identity`() throws {
    let found = try configuration(
      """
      [[app]]
      id = "by-key"
      key = true
      [[app]]
      id = "by-certificate"
      certificate = "sha256:\(Self.digits)"
      [[app]]
      id = "by-all"
      uid = 1001
      key = true
      certificate = "sha256:\(Self.digits)"
      [[app]]
      id = "by-uid"
      uid = 1001
      """
    ).apps
    #expect(found.map(\.identity) == [nil, nil, .uid(1001), .uid(1001)])
    #expect(found.map(\.hasKey) == [true, false, true, false])
    #expect(found.map { $0.certificate?.count } == [nil, 32, 32, nil])
    #expect(found[1].certificate?.prefix(3) == [0x0A, 0xF0, 0xAF] && found[1].certificate?.last == 0xF7)
  }

  @Test func `a fingerprint can have the colons of openssl`() throws {
    let pairs = stride(from: 0, to: 64, by: 2).map { String(Self.digits.dropFirst($0).prefix(2)).uppercased() }
    func certificate(_ text: String) throws -> [UInt8]? {
      try configuration("[[app]]\nid = \"x\"\ncertificate = \"\(text)\"").apps.first?.certificate
    }
    #expect(try certificate("sha256:" + pairs.joined(separator: ":")) == certificate("sha256:" + Self.digits))
  }

  @Test(arguments: [
    "", "sha256:", "\(digits)", "sha1:\(digits)", "sha256:\(digits.dropLast())", "sha256:\(digits)0",
    "sha256:\(digits.dropLast())g", "sha256:\(digits.dropLast())\u{FF11}",
  ])
  func `an invalid fingerprint is refused with the command that prints one`(text: String) {
    let found = faults("[[app]]\nid = \"x\"\ncertificate = \"\(text)\"")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("onefix.toml:3: error: 'certificate' in [[app]] is ") == true)
    #expect(found.first?.contains("openssl x509 -in FILE -noout -fingerprint -sha256") == true)
  }
}
