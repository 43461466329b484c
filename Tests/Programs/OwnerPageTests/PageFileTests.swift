import Base
import Features
import Hardware
import Testing

@Suite struct PageFileTests {
  @Test(arguments: Language.allCases)
  func `the document is in its language and has every text`(language: Language) {
    let text = PageFile.document.text(in: language)
    #expect(text.hasPrefix("<!DOCTYPE html>\n<html lang=\"\(language.rawValue)\">"))
    #expect(!text.contains("{") && !text.contains("}"))
    for phrase in PagePhrase.allCases where phrase != .linkMade {
      #expect(text.contains(phrase.text(in: language).replacing("'", with: "&#39;")), "\(phrase)")
    }
  }

  @Test func `the document loads no external resources and has no inline scripts and styles`() {
    let document = PageFile.document.text(in: .english)
    for part in ["http:", "https:", "style=", "<style", "javascript:", "<iframe", "<img", "cookie"] {
      #expect(!document.lowercased().contains(part), "\(part)")
    }
    #expect(document.matches(of: /\son[a-z]+=/).isEmpty)
    #expect(document.matches(of: /<script(?! src="\/page.js" type="module"><\/script>)/).isEmpty)
    for part in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "cookie", "localStorage", "http:",
      "https:", "Function(",
    ] {
      #expect(!scripts.contains(part), "\(part)")
    }
    for part in ["url(", "@import", "animation", "transition"] {
      #expect(!PageFile.style.text(in: .english).contains(part), "\(part)")
    }
  }

  private var scripts: String {
    [PageFile.script, .session, .views].map { $0.text(in: .english) }.joined(separator: "\n")
  }

  @Test func `a script imports only scripts of the page`() {
    let imports = scripts.matches(of: /from "\.(\/[a-z]+\.js)"/).compactMap { PageFile(rawValue: String($0.1)) }
    #expect(imports == [.session, .views, .session])
    #expect(scripts.matches(of: /\bimport\b/).count == 3)
  }

  @Test func `every control has a name, and every reference exists`() {
    let document = PageFile.document.text(in: .english)
    let ids = Set(document.matches(of: /\sid="([^"]+)"/).map { String($0.1) })
    for reference in document.matches(of: /aria-(?:labelledby|describedby)="([^"]+)"/) {
      for id in reference.1.split(separator: " ") { #expect(ids.contains(String(id)), "\(id)") }
    }
    // A control is inside its label or contains its text.
    for control in document.matches(of: /<(select|input)\b/) {
      let before = document[..<control.range.lowerBound]
      #expect(before.ranges(of: "<label").count > before.ranges(of: "</label").count, "\(control.0)")
    }
    for button in document.matches(of: /<button[^>]*>([^<]*)</) { #expect(!button.1.isEmpty) }
    for word in document.matches(of: /getElementById|one\("([a-z-]+)"\)/) {
      #expect(ids.contains(String(word.1 ?? "")))
    }
    for id in scripts.matches(of: /(?:one|copy)\("([a-z-]+)"\)/) { #expect(ids.contains(String(id.1)), "\(id.1)") }
  }

  // MARK: Colours

  /// The colours of the light and the dark scheme.
  private var palettes: [[String: Colour]] {
    get throws {
      let style = PageFile.style.text(in: .english)
      var palettes: [[String: Colour]] = [[:], [:]]
      var isNight = false
      var depth = 0
      for line in style.split(separator: "\n") {
        if line.contains("@media") { isNight = line.contains("prefers-color-scheme: dark") }
        for found in line.matches(of: /--([a-z-]+):\s*(#[0-9a-f]{6})/) {
          let colour = try #require(Colour(String(found.2)), "\(found.2)")
          palettes[isNight ? 1 : 0][String(found.1)] = colour
        }
        depth += line.count { $0 == "{" } - line.count { $0 == "}" }
        if depth == 0 { isNight = false }
      }
      return palettes
    }
  }

  @Test(arguments: [
    // Text. (WCAG 2.2, 1.4.3)
    ("ink", "paper", 4.5), ("ink", "panel", 4.5), ("dim", "paper", 4.5), ("dim", "panel", 4.5), ("bad", "paper", 4.5),
    ("on-accent", "accent", 4.5), ("ink", "lane", 4.5), ("accent", "paper", 4.5), ("accent", "panel", 4.5),
    // Edges of controls, the focus and graphics. (1.4.11)
    ("edge", "paper", 3), ("edge", "panel", 3), ("focus", "paper", 3), ("focus", "panel", 3), ("accent", "line", 3),
    ("precise", "lane", 3), ("no", "lane", 3), ("use", "lane", 3),
  ])
  func `text and graphics have sufficient contrast in both schemes`(front: String, back: String, ratio: Double) throws {
    for palette in try palettes {
      let (front, back) = (try #require(palette[front]), try #require(palette[back]))
      #expect(front.contrast(with: back) >= ratio, "\(front.contrast(with: back))")
    }
  }

  @Test func `every colour is in the palette, and each has a dark variant`() throws {
    let palettes = try palettes
    #expect(palettes[0].keys.sorted() == palettes[1].keys.sorted())
    let style = PageFile.style.text(in: .english)
    for used in style.matches(of: /var\(--([a-z-]+)\)/) {
      #expect(palettes[0].keys.contains(String(used.1)), "\(used.1)")
    }
    #expect(style.matches(of: /[^-a-z](?:color|background|fill|stroke):\s*#/).isEmpty)
  }

  @Test(
    arguments: [
      ("de-CH, de;q=0.9, en;q=0.8", .german), ("fr, ja;q=0.5", .japanese), ("en;q=0.1,vi;q=0.2", .vietnamese),
      ("zh-CN,zh;q=0.9", .simplifiedChinese), ("en;q=1, de", .english),
      ("zh-TW", nil), ("fr", nil), ("*", nil), ("", nil), ("de;q=0", nil),
      ("de;q=x", .german), (",,;;==", nil),
      // The first 512 characters of the header count.
      (String(repeating: "x", count: 509) + ",de", .german), (String(repeating: "x", count: 510) + ",de", nil),
    ] as [(String, Language?)])
  func `the preferred language of a browser is selected`(header: String, language: Language?) {
    #expect(Language(accepted: header) == language)
  }
}
