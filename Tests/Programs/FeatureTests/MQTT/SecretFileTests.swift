import LineProtocol
import TemporaryFiles
import Testing

@testable import Features

@Suite struct SecretFileTests {
  private static let longest = String(repeating: "s", count: 1023)

  @Test(arguments: [
    ("secret", "secret"), ("secret\nmore", "secret"), ("two words\r\n", "two words"), (longest, longest),
    (longest + "\nmore", longest), ("secret\n" + longest + longest, "secret"), ("", nil), ("\nsecret", nil),
    ("a\0b", nil), (longest + "s", nil), (longest + "s\n", nil),
  ])
  func `the secret is the first line of its file, with 1 to 1023 bytes`(content: String, secret: String?) throws {
    let folder = try TemporaryDirectory()
    try folder.write(content, to: "secret")
    #expect((try? SecretFile.read(folder.path("secret"))) == secret)
  }

  @Test(
    arguments: [
      ("secret\n", "secret"), (longest, longest), ("\nsecret", nil), ("", nil), ("a\u{FEFF}b", "a\u{FEFF}b"),
    ] as [(String, String?)])
  func `a byte order mark at the beginning is no part of the secret`(content: String, secret: String?) throws {
    let folder = try TemporaryDirectory()
    try folder.write("\u{FEFF}" + content, to: "secret")
    #expect((try? SecretFile.read(folder.path("secret"))) == secret)
    try folder.write("\u{FEFF}" + Self.longest + "s\n", to: "secret")
    #expect(throws: OutputError.self) { try SecretFile.read(folder.path("secret")) }
  }

  @Test func `a secret that does not exist has the cause of the system`() throws {
    let folder = try TemporaryDirectory()
    let error = #expect(throws: OutputError.self) { try SecretFile.read(folder.path("secret")) }
    #expect(error?.fault == .file && error?.detail == "no such file or directory")
  }
}
