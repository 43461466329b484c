import TemporaryFiles
import Testing

@testable import Features

@Suite struct SecretFileTests {
  private static let longest = String(repeating: "s", count: 1023)

  @Test(
    arguments: [
      ("secret", "secret"), ("secret\nmore", "secret"), ("two words\r\n", "two words"), (longest, longest),
      (longest + "\nmore", longest), ("secret\n" + longest + longest, "secret"), ("a\u{FEFF}b", "a\u{FEFF}b"),
      ("", nil), ("\nsecret", nil), ("a\0b", nil), (longest + "s", nil), (longest + "s\n", nil),
    ] as [(content: String, secret: String?)], ["", "\u{FEFF}"])
  func `the secret is the first line of its file, with 1 to 1023 bytes and without a byte order mark at its beginning`(
    file: (content: String, secret: String?), mark: String
  ) throws {
    let folder = try TemporaryDirectory()
    try folder.write(mark + file.content, to: "secret")
    #expect((try? SecretFile.read(folder.path("secret"))) == file.secret)
  }
}
