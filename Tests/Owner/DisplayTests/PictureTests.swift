import Base
import Foundation
import LineProtocol
import Repository
import Requirements
import Testing

@testable import Display

private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures")

/// The shapes of the hexadecimal digits, five rows each. Each row is one hexadecimal digit, for four pixels.
private let shapes: [[Character]] = [
  "eaaae", "4c44e", "e2e8e", "e2e2e", "aae22", "e8e2e", "e8eae", "e2222", "eaeae", "eae2e", "4aeaa", "cacac", "68886",
  "caaac", "e8e8e", "e8e88",
].map { Array($0) }

/// Returns a glyph that shows the code of the character in two rows of small digits. The pictures do not use GNU Unifont,
/// because each of its versions changes many glyphs. Characters from U+20000 have no glyph.
private func numberedGlyph(of scalar: Unicode.Scalar) -> Glyph? {
  guard scalar.value < 0x20000 else { return nil }
  let columns = scalar.value < 0x1100 ? 2 : 4
  let code = String(scalar.value, radix: 16)
  let padded = Array(String(repeating: "0", count: 2 * columns - code.count) + code)
  var bitmap = ""
  for digits in [padded.prefix(columns), padded.suffix(columns)] {
    for row in 0..<8 {
      for digit in digits { bitmap.append((1...5).contains(row) ? shapes[digit.hexDigitValue ?? 0][row - 1] : "0") }
    }
  }
  return Glyph(hexadecimal: Array(bitmap.utf8))
}

extension Picture {
  /// The picture as text, in the format of a plain PBM file (Netpbm, "pbm", format P1).
  fileprivate var pbm: String {
    let rows = (0..<height).map { y in (0..<Self.width).map { self[$0, y] ? "1" : "0" }.joined() }
    return "P1\n\(Self.width) \(height)\n" + rows.joined(separator: "\n") + "\n"
  }
}

/// The pages of a text as one picture, one below the other.
private func pictures(_ paragraphs: [String], height: Int) -> String {
  DisplayPage.pages(of: paragraphs, rows: height / Glyph.height, numberedGlyph).map {
    $0.picture(height: height, numberedGlyph).pbm
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
@Suite struct PictureTests {
  private func compare(_ picture: String, _ name: String) throws {
    let file = folder.appending(path: "\(name).pbm")
    if ProcessInfo.processInfo.environment["ONEFIX_WRITE_PICTURES"] != nil {
      try picture.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try picture == String(contentsOf: file, encoding: .utf8), "\(name)")
  }

  @Test(arguments: Language.allCases, [32, 64])
  func `a question has the same picture as in its file`(language: Language, height: Int) throws {
    try compare(pictures(question(in: language), height: height), "question-\(language.rawValue)-\(height)")
  }

  @Test(arguments: [
    ("served", ["gave Fähre 公園 one fix", "approximate"]),
    ("waiting", ["Fähre 公園 waits: press the button"]),
    ("locked", ["locked; hold the button to unlock"]),
    ("scripts", ["паром Ελ ไทย", "한국어 עברית", "मान \u{1F6A2} \u{10FFFF}"]),
  ])
  func `a state has the same picture as in its file`(name: String, paragraphs: [String]) throws {
    try compare(pictures(paragraphs, height: 64), name)
  }

  @Test(arguments: [("\u{2764}\u{FE0F} Map", "\u{2764} Map"), ("a\u{34F}b", "ab")])
  func `an invisible character is not drawn`(text: String, same: String) {
    #expect(pictures([text], height: 32) == pictures([same], height: 32))
  }

  @Test(.needs("apt-get install unifont", FileManager.default.fileExists(atPath: FontFile.standardPath)))
  func `every character of the texts in five languages has a glyph`() throws {
    let font = HexFont([UInt8](try Data(contentsOf: URL(filePath: FontFile.standardPath))))
    let texts = try String(contentsOfFile: "\(Repository.root)/Sources/Core/Base/Languages/texts.tsv", encoding: .utf8)
    #expect(Set(texts.unicodeScalars).filter { $0.value >= 0x20 && font.glyph(of: $0) == nil } == [])
  }
}
