import Foundation
import Testing

/// The pages under `Sources/Documentation/reference` compared with the comments and tests that cite them.
@Suite struct ReferenceTests {
  /// Every Swift file of the project, by its path.
  private static let sources: [String: String] = {
    let files = ["Sources", "Tests"].flatMap { Page.files(in: $0) }.filter { !$0.contains(".build/") }
    return Dictionary(uniqueKeysWithValues: files.map { ($0, (try? Page.text(of: $0)) ?? "") })
  }()

  /// Returns the rows that a line cites, in its comment or in the name of its test.
  private static func citations(in line: Substring) -> [Substring] {
    let text = line.range(of: "//").map { line[$0.upperBound...] } ?? (line.contains("func `") ? line : "")
    return text.split { !$0.isLetter && !$0.isNumber }.filter { word in
      (2...3).contains(word.count) && "ABCD".contains(word.first ?? " ")
        && word.dropFirst().allSatisfy { ("0"..."9").contains($0) }
    }
  }

  @Test func `every row that the code cites is a heading of the contract`() throws {
    let contract = try Page.named("Documentation/reference/authorization.md").text
    // The headings that consist of an identifier.
    let rows = Set(contract.matches(of: /(?m)^### ([A-D][0-9]{1,2})$/).map { String($0.1) })
    #expect(rows.count == 29)
    var count = 0
    for (path, text) in Self.sources {
      for line in text.split(separator: "\n") {
        for row in Self.citations(in: line) {
          #expect(rows.contains(String(row)), "\(path): \(line)")
          count += 1
        }
      }
    }
    #expect(count > 100)
  }

  @Test func `every invariant that the code cites is a heading of the contract`() throws {
    let page = try Page.named("Documentation/reference/authorization.md")
    var count = 0
    for (path, text) in Self.sources {
      for number in text.matches(of: /\(Invariant ([0-9]+)\)/).map({ $0.1 }) {
        #expect(page.text.contains("\n### Invariant \(number)\n"), "\(path): invariant \(number)")
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test func `every page that the code names exists`() {
    var count = 0
    for (path, text) in Self.sources {
      for name in text.matches(of: /Sources\/Documentation\/[a-zA-Z\/-]+\.md/).map({ String($0.output) }) {
        #expect(FileManager.default.fileExists(atPath: "\(Page.root)/\(name)"), "\(path): \(name)")
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test func `every error code is in the reference, with its slug`() throws {
    let page = try Page.named("Documentation/reference/line-protocol.md")
    let code = try #require(Self.sources.first { $0.key.hasSuffix("LineProtocol/ErrorCode.swift") }?.value)
    var words: [String: String] = [:]
    for match in code.matches(of: /case \.`?(\w+)`?: "([a-z-]+)"/) { words[String(match.1)] = String(match.2) }
    let codes = code.matches(of: /case `?(\w+)`? = ([0-9]{3})/)
    #expect(codes.count > 20)
    for match in codes {
      let word = try #require(words[String(match.1)])
      #expect(page.text.contains("\n| \(match.2) | `\(word)` |"), "\(match.2) \(word)")
    }
  }

  @Test func `the README has at most its maximum length`() throws {
    let readme = try #require(Page.all.first { $0.path == "README.md" })
    #expect(readme.text.utf8.count <= 8192)
  }
}
