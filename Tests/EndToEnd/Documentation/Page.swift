import Foundation
import Repository
import Testing

/// A page of the documentation and its blocks: commands, their output, configurations, examples.
struct Page: Sendable, CustomTestStringConvertible {
  /// The path from the root of the repository.
  let path: String
  let text: String
  let blocks: [Block]

  var testDescription: String { path }

  static let root = Repository.root

  /// Returns the page with this path, or with a path that ends with it.
  static func named(_ name: String) throws -> Page { try #require(all.first { $0.path.hasSuffix(name) }) }

  /// Returns the content of a file by its path from the root.
  static func text(of file: String) throws -> String { try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8) }

  /// Returns the files of a folder and of its subfolders whose names end like this, by their paths from the root.
  static func files(in folder: String, ending: String = ".swift") -> [String] {
    let found = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.allObjects as? [String] ?? []
    return found.filter { $0.hasSuffix(ending) && !$0.contains(".build/") }.map { "\(folder)/\($0)" }
  }

  /// All pages: the README, guides, boards, manual pages, and the articles of the libraries.
  static let all: [Page] = {
    let files = (FileManager.default.enumerator(atPath: root)?.allObjects as? [String]) ?? []
    return files.filter(isPage).sorted().compactMap { try? Page($0) }
  }()

  private static func isPage(_ path: String) -> Bool {
    guard !path.hasPrefix("."), !path.hasPrefix("Tests/") else { return false }
    return path.hasSuffix(".md") || path.hasPrefix("Sources/Documentation/man/")
  }

  private init(_ path: String) throws {
    self.path = path
    text = try Page.text(of: path)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    blocks = path.hasSuffix(".md") ? Page.markdown(lines) : Page.manual(lines)
  }

  /// Returns the fenced blocks, each with the comments directly before it.
  private static func markdown(_ lines: [String]) -> [Block] {
    var blocks: [Block] = []
    var remarks: [String] = []
    var open: Block?
    var comment: String?
    for (number, line) in lines.enumerated() {
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if var block = open {
        if trimmed == "```" {
          blocks.append(block)
          open = nil
        } else {
          block.lines.append(block.indentation == 0 ? line : String(line.dropFirst(block.indentation)))
          open = block
        }
      } else if let begun = comment ?? (trimmed.hasPrefix("<!--") ? "" : nil) {
        let whole = begun.isEmpty ? trimmed : "\(begun) \(trimmed)"
        comment = whole.hasSuffix("-->") ? nil : whole
        if comment == nil { remarks.append(whole.dropFirst(4).dropLast(3).trimmingCharacters(in: .whitespaces)) }
      } else if trimmed.hasPrefix("```") {
        let indentation = line.prefix { $0 == " " }.count
        open = Block(
          line: number + 1, kind: String(trimmed.dropFirst(3)), lines: [], remarks: remarks, indentation: indentation)
        remarks = []
      } else if !trimmed.isEmpty {
        remarks = []
      }
    }
    return blocks
  }

  /// Returns the literal displays, each with the comments directly before it. The first comment is the kind of the
  /// block.
  private static func manual(_ lines: [String]) -> [Block] {
    var blocks: [Block] = []
    var remarks: [String] = []
    var open: Block?
    for (number, line) in lines.enumerated() {
      if line == ".Ed" {
        if let block = open { blocks.append(block) }
        open = nil
      } else if open != nil {
        open?.lines.append(line.replacing("\\e", with: "\\"))
      } else if line.hasPrefix(".\\\" ") {
        remarks.append(String(line.dropFirst(4)))
      } else {
        if line.hasPrefix(".Bd -literal") {
          open = Block(
            line: number + 1, kind: remarks.first ?? "", lines: [], remarks: Array(remarks.dropFirst()), indentation: 0)
        }
        remarks = []
      }
    }
    return blocks
  }
}

/// A block of a page.
struct Block: Sendable {
  /// The kinds of blocks: the word after the fence.
  static let kinds: Set = [
    // Run by the tests: commands; commands with their output; the lines of an app or an owner and of the gateway.
    "sh", "console", "conversation", "python", "js", "c",
    // Parsed by the program that they are for.
    "toml", "json", "swift",
    // Not commands: drawings, and the files of other programs.
    "text", "conf",
  ]
  static let commands: Set = ["sh", "console", "conversation", "python", "js", "c"]

  var line: Int
  var kind: String
  var lines: [String]
  /// The comments before the block that are for the tests, for example `not run: needs a Raspberry Pi`.
  var remarks: [String]
  var indentation: Int

  var text: String { lines.joined(separator: "\n") + "\n" }

  func says(_ remark: String) -> Bool { remarks.contains(remark) }

  /// Returns the rest of the remark with the prefix.
  func remark(_ prefix: String) -> String? {
    remarks.first { $0.hasPrefix("\(prefix): ") }.map { String($0.dropFirst(prefix.count + 2)) }
  }

  /// The reason why the block is not run. Nil if the tests run it.
  var reason: String? { remark("not run") }
}

/// A comparison of the output on a page with the actual output.
enum Shown {
  /// Whether a line matches the line on a page: `…` matches any text, and the figures of a fix may differ.
  static func matches(_ line: String, _ shown: String) -> Bool {
    // The lines of gpsd end with CR LF.
    let received = line.hasSuffix("\r") ? String(line.dropLast()) : line
    let isFix = shown.contains(#""time":""#) || shown.contains(#""lat":"#)
    return isFix ? isLike(withoutFigures(received), withoutFigures(shown)) : isLike(received, shown)
  }

  private static func isLike(_ line: String, _ shown: String) -> Bool {
    let pieces = shown.replacing("...", with: "…").split(separator: "…", omittingEmptySubsequences: false)
    guard pieces.count > 1 else { return line == shown }
    guard line.hasPrefix(pieces[0]), line.hasSuffix(pieces[pieces.count - 1]) else { return false }
    var rest = line.dropFirst(pieces[0].count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.range(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= pieces[pieces.count - 1].count
  }

  private static func withoutFigures(_ line: String) -> String {
    line.replacing(/-?[0-9]+(\.[0-9]+)?/, with: "0")
  }

  /// Returns the number of output lines up to the last line on the page, or nil if a line is missing. A `…` alone
  /// matches any number of lines.
  static func end(of received: ArraySlice<String>, _ shown: ArraySlice<String>) -> Int? {
    guard let first = shown.first else { return received.startIndex }
    if first.trimmingCharacters(in: .whitespaces) == "…" {
      if shown.count == 1 { return received.endIndex }
      for start in received.startIndex...received.endIndex {
        if let end = end(of: received[start...], shown.dropFirst()) { return end }
      }
      return nil
    }
    guard let line = received.first, matches(line, first) else { return nil }
    return end(of: received.dropFirst(), shown.dropFirst())
  }
}
