import Foundation
import Testing

/// Tests that run the examples of the documentation.
@Suite struct DocumentationTests {
  static let withCommands = Page.all.filter { page in page.blocks.contains { Block.commands.contains($0.kind) } }
  static let withConfigurations = Page.all.filter { page in page.blocks.contains { $0.kind == "toml" } }

  @Test func `each block has a kind, and each block with commands is run or has a reason not to run`() {
    var (run, reasons) = (0, 0)
    for page in Page.all {
      for block in page.blocks {
        #expect(Block.kinds.contains(block.kind), "\(page.path):\(block.line): what is '\(block.kind)'?")
        if let reason = block.reason {
          #expect(reason.count > 10, "\(page.path):\(block.line): why not?")
          reasons += 1
        } else if Block.commands.contains(block.kind) {
          run += 1
        } else if !["toml", "json", "swift"].contains(block.kind) {
          let hidden = block.lines.first { Self.isCommand($0) }
          #expect(hidden == nil, "\(page.path):\(block.line): a command that nobody runs: \(hidden ?? "")")
        }
      }
    }
    print("documentation: \(run) blocks of commands are run, \(reasons) have a reason not to run")
    #expect(run > 30)
  }

  @Test func `a comment in a file for another program has a line of its own`() {
    var count = 0
    for page in Page.all {
      for block in page.blocks where block.kind == "conf" {
        for line in block.lines where !line.hasPrefix("#") {
          // The firmware of a Raspberry Pi, udev and systemd take such a comment as a part of the value.
          #expect(!line.contains(/\s#/), "\(page.path):\(block.line): \(line)")
          count += 1
        }
      }
    }
    #expect(count > 50)
  }

  private static func isCommand(_ line: String) -> Bool {
    let beginnings = [
      "$ ", "sudo ", "onefix ", "onefixd", "Scripts/", "systemctl ", "apt", "mosquitto_", "nc ", "python3 ",
    ]
    return beginnings.contains { line.hasPrefix($0) }
  }

  @Test(arguments: withCommands)
  func `the commands of a page succeed and print the output that the page shows`(page: Page) async throws {
    let blocks = page.blocks.filter { $0.reason == nil && (Block.commands.contains($0.kind) || !$0.remarks.isEmpty) }
    guard blocks.contains(where: { Block.commands.contains($0.kind) }) else { return }
    let reader = try await PageReader(page)
    for block in blocks {
      do {
        try await reader.run(block)
      } catch {
        Issue.record("\(page.path):\(block.line): \(error)")
      }
    }
    #expect(try await reader.daemon.stop().end == .exit(0))
  }

  @Test(arguments: withConfigurations)
  func `the daemon accepts every configuration in the documentation`(page: Page) async throws {
    let folder = try Folder()
    for block in page.blocks where block.kind == "toml" && block.reason == nil {
      let file = try folder.write(Self.completed(block.text), to: "onefix.toml")
      let found = try await Child(
        Program.onefixd,
        ["check", "--config", file, "--boards", "\(Page.root)/Boards", "--board", block.remark("board") ?? "simulated"]
      ).finish()
      // Faults of the machine that runs the tests do not count.
      let wrong = found.errors.filter { line in
        line.contains(": error: ") && !Self.missing.contains { line.hasSuffix($0) }
      }
      let isTaken = [.exit(0), .exit(3)].contains(found.end) || wrong.isEmpty
      #expect(isTaken && found.end != .exit(64), "\(page.path):\(block.line): \(found.errors)")
    }
  }

  /// Files that the page explains how to create.
  private static let missing = ["[console-pin]"]

  /// Adds the apps that a block names but does not define.
  private static func completed(_ text: String) -> String {
    let named = text.matches(of: /(?m)^(?:app = |apps = \[)"([^"]+)"/).map { String($0.1) }
    let defined = text.matches(of: /(?m)^id = "([^"]+)"/).map { String($0.1) }
    let text = text.replacing(/uid = "(?:pi|geoclue)"/, with: "uid = 1000")
    return text + "\n" + Set(named).subtracting(defined).map { "[[app]]\nid = \"\($0)\"\nuid = 1000\n" }.joined()
  }

  @Test func `every JSON example is valid, as lines or as a whole`() throws {
    for page in Page.all {
      for block in page.blocks where block.kind == "json" {
        let isWhole = (try? JSONSerialization.jsonObject(with: Data(block.text.utf8))) != nil
        for line in isWhole ? [] : block.lines {
          #expect(
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(page.path):\(block.line): \(line)")
        }
      }
    }
  }

  @Test func `every Swift example is part of compiled code`() throws {
    let compiled = try Page.files(in: "Tests", ending: "Examples.swift").map { Self.stripped(try Page.text(of: $0)) }
    var count = 0
    for page in Page.all {
      for block in page.blocks where block.kind == "swift" {
        let example = Self.stripped(block.text)
        #expect(compiled.contains { $0.contains(example) }, "\(page.path):\(block.line)")
        count += 1
      }
    }
    #expect(count >= 6)
  }

  /// Returns the lines without indentation and without the header of a file.
  private static func stripped(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
  }

  @Test func `each promise names an existing test`() throws {
    let tests = Set(
      try Page.files(in: "Tests").flatMap { file in
        try Page.text(of: file).matches(of: /func `([^`]+)`/).map { String($0.1) }
      })
    let rows = try Page.named("Documentation/promises.md").text.matches(of: /(?m)^\| .*\| `([^`]+)` \|$/).map {
      String($0.1)
    }
    #expect(rows.count > 40)
    for name in rows {
      #expect(tests.contains(name), "no test is called: \(name)")
    }
  }

  @Test func `every link has a target`() throws {
    var count = 0
    for page in Page.all where page.path.hasSuffix(".md") && !page.path.contains(".docc/") {
      let folder = URL(fileURLWithPath: "\(Page.root)/\(page.path)").deletingLastPathComponent()
      for link in page.text.matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) }) where !link.contains("://") {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let target = parts[0].isEmpty ? "\(Page.root)/\(page.path)" : folder.appendingPathComponent(parts[0]).path
        #expect(FileManager.default.fileExists(atPath: target), "\(page.path): \(link)")
        if parts.count == 2, let text = try? String(contentsOfFile: target, encoding: .utf8) {
          #expect(Self.anchors(text).contains(parts[1]), "\(page.path): \(link)")
        }
        count += 1
      }
    }
    #expect(count > 30)
  }

  /// Returns the anchors of the headings, in the form that links use.
  private static func anchors(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased()
        .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
    }
  }

  @Test(.unlessThreadSanitizer)
  func `commands within sentences exist with the options that the sentences name`() async throws {
    var help: [String: String] = [:]
    var count = 0
    for page in Page.all where page.path.hasSuffix(".md") {
      for span in page.text.matches(of: /`(onefixd? (?!fix 1)[^`\n]+)`/).map({ String($0.1) }) {
        let words = span.split(separator: " ").map(String.init)
        let program = words[0] == "onefix" ? Program.onefix : Program.onefixd
        let command = words.dropFirst().prefix(while: { $0.first?.isLowercase == true }).prefix(2)
        var received = ""
        for length in (0...command.count).reversed() {
          let asked = Array(command.prefix(length))
          let key = ([program] + asked).joined(separator: " ")
          if help[key] == nil {
            let end = try await Child(program, asked + ["--help"]).finish()
            help[key] = end.end == .exit(0) ? end.output.joined(separator: "\n") : ""
          }
          received = help[key] ?? ""
          if !received.isEmpty { break }
        }
        #expect(!received.isEmpty, "\(page.path): \(span)")
        if words[0] == "onefix", let verb = command.first {
          #expect(received.contains("onefix \(verb)"), "\(page.path): there is no \(span)")
        }
        for option in words where option.hasPrefix("--") {
          let name = option.prefix { $0 != "=" && $0 != ")" }
          #expect(received.contains(name), "\(page.path): \(span) has no \(name)")
        }
        count += 1
      }
    }
    #expect(count > 30)
  }
}
