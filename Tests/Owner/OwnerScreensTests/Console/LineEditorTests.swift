import Base
import SeededNumbers
import Testing

@testable import OwnerScreens

/// An editor connected to a terminal.
private struct Typist {
  var editor: LineEditor
  var terminal: DumbTerminal
  var outcomes: [LineEditor.Outcome] = []
  var candidates: [String] = []
  /// The output that the last bytes caused.
  var sent: [UInt8] = []

  init(columns: Int = 80) {
    editor = LineEditor(prompt: "> ", columns: columns)
    terminal = DumbTerminal(columns: columns)
    var output: [UInt8] = []
    editor.begin(into: &output)
    terminal.show(output)
  }

  mutating func type(_ text: String) { type(Array(text.utf8)) }

  mutating func type(_ bytes: [UInt8]) {
    sent = []
    for byte in bytes {
      var output: [UInt8] = []
      if let outcome = editor.process(byte, candidates: { _ in candidates }, into: &output) {
        outcomes.append(outcome)
        editor.begin(into: &output)
      }
      terminal.show(output)
      sent += output
    }
  }
}

@Suite struct LineEditorTests {
  @Test func `a key sequence without an end needs no more memory than one of sixteen bytes`() {
    func decoder(after count: Int) -> KeyDecoder {
      var decoder = KeyDecoder()
      for byte in "\u{1B}[\(String(repeating: "1", count: count))".utf8 { _ = decoder.decode(byte) }
      return decoder
    }
    #expect(decoder(after: 15) != decoder(after: 16) && decoder(after: 1000) == decoder(after: 16))
  }

  /// RFC 3629 §4. The bytes after the first one are at the limits of the permitted ranges.
  @Test(
    arguments: [
      (1, [0xC1, 0xC2, 0xDF]), (2, [0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF]), (3, [0xF0, 0xF1, 0xF3, 0xF4, 0xF5]),
    ] as [(Int, [UInt8])])
  func `bytes are a character if and only if they are valid UTF-8`(count: Int, firstBytes: [UInt8]) {
    let limits: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    let sequences = (0..<count).reduce(firstBytes.map { [$0] }) { sequences, _ in
      sequences.flatMap { sequence in limits.map { sequence + [$0] } }
    }
    for sequence in sequences {
      var decoder = KeyDecoder()
      let keys = sequence.flatMap { decoder.decode($0) }
      let characters = keys.compactMap { if case .character(let scalar) = $0, !scalar.isASCII { scalar } else { nil } }
      guard let scalar = String(validating: sequence, as: UTF8.self)?.unicodeScalars.first else {
        #expect(characters.isEmpty, "\(sequence)")
        continue
      }
      #expect(keys == [characters.isEmpty ? .unknown : .character(scalar)], "\(sequence)")
    }
  }

  @Test func `a character has at most four combining marks`() {
    let cells = Cell.cells(of: "e\(String(repeating: "\u{301}", count: 10))x")
    #expect(cells.map { $0.text.unicodeScalars.count } == [5, 1])
  }

  /// A key: its bytes and its effect on the reference line.
  private struct Press: Sendable {
    var bytes: [UInt8]
    var act: @Sendable (inout ReferenceLine) -> LineEditor.Outcome?

    init(_ text: String, _ act: @escaping @Sendable (inout ReferenceLine) -> Void) {
      bytes = Array(text.utf8)
      self.act = {
        act(&$0)
        return nil
      }
    }

    init(_ bytes: [UInt8], _ act: @escaping @Sendable (inout ReferenceLine) -> LineEditor.Outcome?) {
      self.bytes = bytes
      self.act = act
    }
  }

  private static let presses: [Press] =
    Array("abc  x-é日語ก한").flatMap(\.unicodeScalars).map { scalar in Press(String(scalar)) { $0.type(scalar) } } + [
      Press("\u{301}") { $0.type("\u{301}") },
      Press("\u{7F}") { $0.backspace() }, Press("\u{8}") { $0.backspace() },
      Press("\u{1B}[3~") { $0.delete() },
      Press("\u{1B}[D") { $0.cursor = max(0, $0.cursor - 1) }, Press("\u{2}") { $0.cursor = max(0, $0.cursor - 1) },
      Press("\u{1B}OD") { $0.cursor = max(0, $0.cursor - 1) },
      Press("\u{1B}[C") { $0.cursor = min($0.cells.count, $0.cursor + 1) },
      Press("\u{6}") { $0.cursor = min($0.cells.count, $0.cursor + 1) },
      Press("\u{1}") { $0.cursor = 0 }, Press("\u{1B}[H") { $0.cursor = 0 }, Press("\u{1B}[1~") { $0.cursor = 0 },
      Press("\u{5}") { $0.cursor = $0.cells.count }, Press("\u{1B}[F") { $0.cursor = $0.cells.count },
      Press("\u{B}") { $0.cells.removeSubrange($0.cursor...) },
      Press("\u{15}") {
        $0.cells.removeSubrange(..<$0.cursor)
        $0.cursor = 0
      },
      Press("\u{17}") { $0.killWord() }, Press("\u{C}") { _ in },
      Press("\u{1B}[A") { $0.look(-1) }, Press("\u{10}") { $0.look(-1) },
      Press("\u{1B}[B") { $0.look(1) }, Press("\u{E}") { $0.look(1) },
      Press([0x0D]) { .entered($0.enter()) }, Press([0x0D, 0x0A]) { .entered($0.enter()) },
      Press([0x03]) {
        $0.abandon()
        return .interrupted
      },
      Press([0x04]) { line in
        if line.cells.isEmpty { return .ended }
        line.delete()
        return nil
      },
      // Keys without a function have no effect.
      Press("\u{1B}[15~") { _ in }, Press("\u{1B}x") { _ in }, Press("\u{200B}") { _ in }, Press("\u{202E}") { _ in },
      Press([0xFF]) { _ in nil },
      Press([0xC3, 0x28]) {
        $0.type("(")
        return nil
      },
    ]

  /// Checks the visible part of the line: all of it if it fits, otherwise a part that contains the cursor.
  private func check(_ line: ReferenceLine, _ typist: Typist) {
    let room = typist.terminal.columns - 3
    let shown = typist.terminal.line
    let cursor = typist.terminal.cursor - 2
    func expected(from first: Int) -> String {
      var end = first
      while end < line.cells.count, ReferenceLine.columns(line.cells[first...end]) <= room { end += 1 }
      return line.cells[first..<end].joined()
    }
    func isShown(from first: Int) -> Bool {
      var wanted = "> " + expected(from: first)
      while wanted.last == " " { wanted.removeLast() }
      return shown == wanted && cursor == ReferenceLine.columns(line.cells[first..<line.cursor]) && cursor <= room
    }
    if ReferenceLine.columns(line.cells) <= room {
      #expect(isShown(from: 0), "'\(shown)', cursor \(cursor): \(line)")
    } else {
      #expect((0...line.cursor).contains(where: isShown), "'\(shown)', cursor \(cursor): \(line)")
    }
  }

  @Test(arguments: [80, 40, 20], 0..<15)
  func `after any input, the terminal shows the line and the cursor in it`(columns: Int, seed: Int) {
    var numbers = SplitMix64(seed: UInt64(seed * 100 + columns))
    var typist = Typist(columns: columns)
    var line = ReferenceLine()
    var outcomes: [LineEditor.Outcome] = []
    // Some inputs are long, so that the line scrolls; some are short.
    let letters = Int.random(in: 0...4, using: &numbers)
    for _ in 0..<200 {
      let index = Int.random(in: 0..<(Self.presses.count + letters * 15), using: &numbers)
      let press = index < Self.presses.count ? Self.presses[index] : Self.presses[index % 12]
      typist.type(press.bytes)
      if let outcome = press.act(&line) { outcomes.append(outcome) }
      check(line, typist)
      guard typist.outcomes == outcomes, typist.terminal.faults == [] else { break }
    }
    #expect(typist.outcomes == outcomes && typist.terminal.faults == [])
  }

  @Test(arguments: 0..<20)
  func `random bytes never stop the editor, and its memory is bounded`(seed: Int) {
    var numbers = SplitMix64(seed: UInt64(seed))
    var typist = Typist()
    for _ in 0..<3000 { typist.type([UInt8.random(in: 0...255, using: &numbers)]) }
    #expect(typist.terminal.faults == [])
    for outcome in typist.outcomes {
      if case .entered(let line) = outcome { #expect(line.utf8.count <= 512) }
    }
  }

  @Test func `a character at the end of the line sends only that character`() {
    var typist = Typist()
    for character in "status é日" {
      typist.type(String(character))
      #expect(typist.sent == Array(String(character).utf8))
    }
    typist.type("\u{7F}")
    #expect(typist.sent == Array("\u{8}\u{8}  \u{8}\u{8}".utf8))
    typist.type("\u{1B}[D")
    #expect(typist.sent == [8])
    typist.type("\u{1B}[C")
    #expect(typist.sent == Array("é".utf8))
  }

  @Test func `an overlong line rings the bell and does not grow`() {
    var typist = Typist()
    typist.type(String(repeating: "x", count: 512))
    #expect(typist.terminal.bells == 0)
    typist.type("y日")
    #expect(typist.terminal.bells == 2)
    typist.type("\r")
    #expect(typist.outcomes == [.entered(String(repeating: "x", count: 512))])
  }

  @Test(arguments: [
    ("\r", 1), ("\n", 1), ("\r\n", 1), ("\r\r", 2), ("\n\n", 2), ("\n\r", 2), ("\r\n\r\n", 2), ("\r\u{0}", 1),
  ])
  func `every kind of line end ends one line`(bytes: String, lines: Int) {
    var typist = Typist()
    typist.type(bytes)
    #expect(typist.outcomes.count == lines)
  }

  @Test func `the history keeps the last fifty lines without direct repetitions`() {
    var typist = Typist()
    for number in 0..<60 { typist.type("line \(number)\rline \(number)\r \r") }
    for number in (10..<60).reversed() {
      typist.type("\u{10}")
      #expect(typist.terminal.line == "> line \(number)")
    }
    let bells = typist.terminal.bells
    typist.type("\u{10}")
    #expect(typist.terminal.bells == bells + 1 && typist.terminal.line == "> line 10")
  }

  @Test(arguments: [
    ("st", ["status"], "> status", 0), ("a", ["allow", "allot", "answer"], "> a", 0),
    ("al", ["allow", "allot"], "> allo", 0), ("zz", ["status"], "> zz", 1),
    ("deny ma", ["map", "mapper"], "> deny map", 0), ("", [], ">", 1),
  ])
  func `Tab inserts the common prefix of all candidates`(typed: String, candidates: [String], shown: String, bells: Int)
  {
    var typist = Typist()
    typist.candidates = candidates
    typist.type("\(typed)\t")
    #expect(typist.terminal.line == shown && typist.terminal.bells == bells)
  }

  @Test func `a complete word is followed by a space, and several candidates are listed within the terminal's width`() {
    var typist = Typist(columns: 30)
    typist.candidates = ["status"]
    typist.type("s\tnow\u{15}")
    typist.candidates = ["alpha", "beta", "gamma", "delta", "epsilon"]
    typist.type("\t")
    #expect(typist.terminal.above == [">", "alpha    beta     gamma", "delta    epsilon"])
    #expect(typist.terminal.line == ">" && typist.terminal.faults == [])
  }

  @Test func `hiding leaves an empty line, and the line can be shown again`() {
    var typist = Typist()
    typist.type("answer 日once\u{2}\u{2}")
    let cursor = typist.terminal.cursor
    var output: [UInt8] = []
    typist.editor.hide(into: &output)
    typist.terminal.show(output)
    #expect(typist.terminal.line == "" && typist.terminal.cursor == 0)
    output = Array("news\r\n".utf8)
    typist.editor.begin(into: &output)
    typist.terminal.show(output)
    #expect(typist.terminal.above == ["news"])
    #expect(typist.terminal.line == "> answer 日once" && typist.terminal.cursor == cursor)
  }
}
