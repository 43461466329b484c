import Base
import Foundation
import LineProtocol
import Repository
import Requirements
import Testing

@testable import OwnerClients

private let fontPath = "/usr/share/unifont/unifont.hex"
private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures")

/// The pages of a text as one picture, one below the other.
private func pictures(_ paragraphs: [String], height: Int) throws -> String {
  let font = HexFont([UInt8](try Data(contentsOf: URL(filePath: fontPath))))
  return DisplayPage.pages(of: paragraphs, rows: height / Glyph.height) { font.glyph(of: $0) }.map {
    $0.picture(height: height) { font.glyph(of: $0) }.pbm
  }.joined()
}

private func question(in language: Language) -> [String] {
  let app = "Fähre 公園"
  return [
    PromptPhrase.authorize.text(in: language, [.app: app]) + " " + AnswerPhrase.onceOrTwice.text(in: language) + " "
      + AnswerPhrase.hold.text(in: language),
    NotificationPhrase.says.text(in: language, [.app: app, .text: "паром ý"]),
  ]
}

/// The pictures, which are compared with files. With `ONEFIX_WRITE_PICTURES` in the environment, the test writes the
/// files.
@Suite(.needs("apt-get install unifont", FileManager.default.fileExists(atPath: fontPath)))
struct PictureTests {
  private func compare(_ picture: String, _ name: String) throws {
    let file = folder.appending(path: "\(name).pbm")
    if ProcessInfo.processInfo.environment["ONEFIX_WRITE_PICTURES"] != nil {
      try picture.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try picture == String(contentsOf: file, encoding: .utf8), "\(name)")
  }

  @Test(arguments: Language.allCases, [32, 64])
  func `a question has the same picture as in its file`(language: Language, height: Int) throws {
    try compare(try pictures(question(in: language), height: height), "question-\(language.rawValue)-\(height)")
  }

  @Test(arguments: [
    ("served", ["gave Fähre 公園 one fix", "approximate"]),
    ("waiting", ["Fähre 公園 waits: press the button"]),
    ("locked", ["locked; hold the button to unlock"]),
    ("scripts", ["паром Ελ ไทย", "한국어 עברית", "मान \u{1F6A2} \u{10FFFF}"]),
  ])
  func `a state has the same picture as in its file`(name: String, paragraphs: [String]) throws {
    try compare(try pictures(paragraphs, height: 64), name)
  }

  @Test(arguments: [("\u{2764}\u{FE0F} Map", "\u{2764} Map"), ("a\u{34F}b", "ab")])
  func `an invisible character is not drawn`(text: String, same: String) throws {
    #expect(try pictures([text], height: 32) == pictures([same], height: 32))
  }

  @Test func `every character of the texts in five languages has a glyph`() throws {
    let font = HexFont([UInt8](try Data(contentsOf: URL(filePath: fontPath))))
    let texts = try String(contentsOfFile: "\(Repository.root)/Sources/Core/Base/Languages/texts.tsv", encoding: .utf8)
    #expect(Set(texts.unicodeScalars).filter { $0.value >= 0x20 && font.glyph(of: $0) == nil } == [])
  }
}
