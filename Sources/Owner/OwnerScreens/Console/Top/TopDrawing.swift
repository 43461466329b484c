package import Base
import LineProtocol

extension TopSession {
  package mutating func frame(at reading: ClockReading) -> Frame {
    expireMessage(at: reading.monotonic)
    var drawing = TopDrawing(session: self)
    drawing.draw(at: reading)
    self.drawing = drawing.legible
    scrolled = drawing.scrolled
    pages = drawing.pages
    pagerPages = drawing.pagerPages
    return drawing.frame
  }
}

/// The drawing of one frame (screen contents) of the terminal program `onefix top`.
struct TopDrawing {
  private let session: TopSession
  private let overview: Overview
  private let language: Language
  private let ornaments: Ornaments
  private(set) var frame: Frame
  private(set) var legible = TopSession.ReadableContent()
  private(set) var scrolled: [Part: Int]
  private(set) var pages: [Part: Int] = [:]
  private(set) var pagerPages = 1
  private var hidden: [Part] = []

  init(session: TopSession) {
    self.session = session
    overview = session.overview ?? Overview()
    language = session.language
    // Some graphical characters have an ambiguous width (UAX #11). Terminals for languages with wide characters draw
    // them two columns wide. For this reason, the screen uses ASCII in these languages.
    ornaments = session.terminal.isASCII || !language.setsSpaces ? .ascii : Ornaments()
    frame = Frame(size: session.size, isASCII: session.terminal.isASCII)
    scrolled = session.scrolled
  }

  private var rows: Int { frame.size.rows }
  private var columns: Int { frame.size.columns }

  private func text(_ phrase: some Phrase, _ values: [Placeholder: String] = [:]) -> String {
    phrase.text(in: language, values)
  }

  mutating func draw(at reading: ClockReading) {
    drawTitle(reading.utc)
    if rows > 1 { drawState(reading) }
    if let pager = session.pager {
      draw(pager)
    } else if session.overview != nil {
      drawBody()
    }
    drawFooter()
  }

  // MARK: The title

  private mutating func drawTitle(_ now: UTCTime) {
    frame.clear(row: 0, style: .reversed)
    let time = time(of: now)
    let whole = columns >= 60 ? "\(now.iso8601.prefix(10)) \(time) UTC " : columns >= 30 ? "\(time) " : ""
    let start = columns - whole.count
    let board = overview.board.isEmpty ? "" : " - \(overview.board)"
    frame.put(" OneFix \(overview.gateway)\(board)", row: 0, column: 0, to: start - 1, style: .reversed)
    frame.put(whole, row: 0, column: start, style: .reversed)
  }

  /// Returns the time of day in UTC, as in `07:31:34`.
  private func time(of instant: UTCTime) -> String { String(instant.iso8601.dropFirst(11).prefix(8)) }

  private mutating func drawState(_ reading: ClockReading) {
    guard session.overview != nil else {
      if let instant = session.lostSince {
        let since = text(TopPhrase.unanswered, [.time: "\(time(of: reading.utc(at: instant))) UTC"])
        frame.put(since, row: 1, column: 0, to: columns - 1, style: .bold)
      }
      return
    }
    let colour: Style.Colour = overview.isLocked ? .red : .yellow
    let isBright = overview.isLit || overview.isLocked
    let indicator = "\(overview.isLit ? ornaments.lit : ornaments.unlit) \(overview.indicator)"
    var column = frame.put(
      indicator, row: 1, column: 0, to: columns - 1, style: isBright ? Style(isBold: true, colour: colour) : .plain)
    for word in receiverWords where column + 3 < columns {
      column = frame.put(word, row: 1, column: column + 3, to: columns - 1)
    }
  }

  private var receiverWords: [String] {
    let used = overview.satellitesUsed.map { "\($0)" } ?? "-"
    return [
      overview.receiver,
      overview.satellites.isEmpty && overview.satellitesUsed == nil
        ? nil : "\(text(ReceiverPhrase.satellites)) \(used)/\(overview.satellites.count)",
      overview.hdop.map { "HDOP \($0)" }, overview.horizontalAccuracy.map { "hacc \($0) m" },
    ].compactMap { $0 }
  }

  // MARK: The body

  private mutating func drawBody() {
    let question = overview.question.map { questionLines($0) } ?? []
    // The question is drawn only if the screen also has a row for the key hints.
    let isLegible = question.count <= max(0, rows - TopLayout.head - 1)
    let layout = TopLayout(
      session.size, focus: session.focus, question: isLegible ? question.count : 0,
      needs: [.apps: overview.apps.count, .sessions: overview.sessions.count])
    hidden = layout.hidden
    if isLegible, let asked = overview.question {
      for (row, line) in zip(layout.notice, question) {
        frame.put(line, row: row, column: 0, to: columns - 1, style: .bold)
      }
      legible.question = asked.prompt
      legible.accuracy = session.accuracy(for: asked)
    } else {
      for (row, line) in zip(layout.notice, notices) { frame.put(line, row: row, column: 0, to: columns - 1) }
    }
    if let sky = layout.sky { drawSky(sky, titled: !layout.isWhole) }
    for (part, rows) in layout.lists { drawList(part, rows) }
  }

  private func questionLines(_ question: PromptView) -> [String] {
    let asked =
      (["#\(question.prompt) \(question.question)"] + (question.says.map { [$0] } ?? [])
      + [question.press, overview.questionLeft].compactMap(\.self)).joined(separator: "  ")
    var lines: [String] = []
    var words = question.choices.enumerated().map { "\($0 + 1) \($1.text)" }
    if let accuracy = session.accuracy(for: question) {
      let word = AccuracyPhrase(rawValue: accuracy.rawValue).map { text($0) } ?? accuracy.rawValue
      words.append("0 \(text(AppPhrase.accuracy)): \(word)")
    }
    for word in words {
      if let last = lines.last, Columns.width(of: "\(last)   \(word)") < columns {
        lines[lines.count - 1] = "\(last)   \(word)"
      } else {
        lines.append(word)
      }
    }
    return Columns.wrapped(asked, to: columns - 1) + lines.flatMap { Columns.wrapped($0, to: columns - 1) }
  }

  private var notices: [String] {
    let waiting = overview.waiting.map { "\(text(GatewayPhrase.waiting)): \($0)" }
    let press = overview.lastPress.map { "\(text(GatewayPhrase.lastPress)): \($0)" }
    let faults = overview.faults.isEmpty ? nil : "\(text(GatewayPhrase.fault)): \(language.list(overview.faults))"
    let isUnread = overview.question == nil ? nil : text(TopPhrase.tooSmall)
    // The waiting apps and the latest press share a row if both fit.
    let both = [waiting, press].compactMap(\.self)
    let row = both.joined(separator: "   ")
    return [isUnread, faults].compactMap(\.self) + (Columns.width(of: row) < columns ? [row] : both)
  }

  private mutating func drawSky(_ area: Range<Int>, titled: Bool) {
    var rows = area
    if titled, let first = rows.first {
      drawTitle(of: .sky, "", row: first)
      rows = first + 1..<rows.upperBound
    }
    let plot = SkyPlot(radius: (rows.count - 1) / 2)
    var start = 0
    if plot.radius >= 2, plot.columns < columns {
      plot.draw(overview.satellites, into: &frame, row: rows.lowerBound, ornaments)
      start = plot.columns + 2
    }
    let table = SignalTable(rows: rows.count, columns: columns - start - 1)
    table.draw(overview.satellites, into: &frame, row: rows.lowerBound, column: start, ornaments)
  }

  // MARK: Lists

  private mutating func drawTitle(of part: Part, _ range: String, row: Int) {
    let mark = part == session.focus ? ">" : " "
    frame.put("\(mark) \(part.title(in: language))\(range)", row: row, column: 0, to: columns - 1, style: .bold)
  }

  private mutating func drawList(_ part: Part, _ area: Range<Int>) {
    let (count, room) = (count(of: part), area.count - 1)
    pages[part] = room
    let top = top(of: part, count, room)
    scrolled[part] = top
    let last = min(count, top + max(0, room))
    let total = part == .sessions ? max(overview.sessionCount, count) : count
    drawTitle(of: part, count > 0 ? "  \(top + 1)-\(last)/\(total)" : "  0", row: area.lowerBound)
    guard top < last else { return }
    let lines = (top..<last).map { words(of: part, $0) }
    let widths = widths(lines)
    for (offset, words) in lines.enumerated() {
      let row = area.lowerBound + 1 + offset
      let isChosen = part == .apps && overview.apps[top + offset].app == session.chosen
      if isChosen { frame.put(">", row: row, column: 0) }
      var column = 2
      for (index, text) in words.enumerated() {
        let word = index == words.count - 1 ? text : Columns.shortened(text, to: widths[index])
        let style = isChosen && index == 0 ? Style.reversed : .plain
        frame.put(word, row: row, column: column, to: min(columns - 1, column + widths[index]), style: style)
        column += widths[index] + 2
      }
    }
    if part == .apps { legible.showsApps = true }
  }

  private func count(of part: Part) -> Int {
    switch part {
    case .apps: overview.apps.count
    case .sessions: overview.sessions.count
    case .log: overview.entries.count
    case .sky: 0
    }
  }

  /// Returns the index of the first visible element of a list. The selected app is always visible.
  private func top(of part: Part, _ count: Int, _ room: Int) -> Int {
    var top = session.scrolled[part] ?? 0
    if part == .apps, let chosen = overview.apps.firstIndex(where: { $0.app == session.chosen }) {
      top = min(max(top, chosen - room + 1), chosen)
    }
    return max(0, min(top, count - room))
  }

  private func words(of part: Part, _ index: Int) -> [String] {
    switch part {
    case .apps:
      let app = overview.apps[index]
      return [app.app, app.statusWithEnd ?? app.status, app.precision, app.now]
    case .sessions:
      let session = overview.sessions[index]
      return [session.app, session.transport, session.peer, time(session.since), session.now]
    case .log:
      let entry = overview.entries[index]
      return [time(entry.time), entry.entry, entry.app, entry.what]
    case .sky: return []
    }
  }

  private func time(_ time: String) -> String { String(time.dropFirst(columns >= 60 ? 5 : 11)) }

  /// Returns the width of each column of a list. Every column except the last has at most a third of the width of the
  /// screen.
  private func widths(_ lines: [[String]]) -> [Int] {
    guard let first = lines.first else { return [] }
    return first.indices.map { index in
      let widest = lines.map { Columns.width(of: $0[index]) }.max() ?? 0
      return index == first.count - 1 ? columns : min(widest, columns / 3)
    }
  }

  // MARK: Help and the last row

  private mutating func draw(_ pager: Pager) {
    let lines =
      switch pager.contents {
      case .help:
        help.flatMap { key, text in
          Columns.wrapped(Columns.padded(key, to: 10) + text, to: columns - 1, indent: 10)
        }
      case .lines(let lines): lines.flatMap { Columns.wrapped($0, to: columns - 1) }
      }
    let room = max(1, rows - TopLayout.head - 1)
    pagerPages = max(1, (lines.count + room - 1) / room)
    for (offset, line) in lines.dropFirst(pager.page * room).prefix(room).enumerated() {
      frame.put(line, row: TopLayout.head + offset, column: 0, to: columns - 1)
    }
  }

  private var help: [(key: String, text: String)] {
    var help = [("j k", text(TopPhrase.choose)), ("Tab", text(TopPhrase.part))]
    for row in VerbRow.table {
      let verb = text(VerbPhrase(row.verb))
      if row.answer == .answer { help += [("1-9", verb), ("0", text(TopPhrase.answerPrecision))] }
      for key in row.keys {
        let meaning = key.help.map { text($0) } ?? verb
        // Keys with the same help have one row.
        if let last = help.last, last.1 == meaning {
          help[help.count - 1].0 += " \(key.letter)"
        } else {
          help.append(("\(key.letter)", meaning))
        }
      }
    }
    return help + [
      ("Space", text(TopPhrase.press)), ("h", text(TopPhrase.hold)), ("Ctrl-L", text(TopPhrase.redraw)),
      ("q", text(TopPhrase.end)), ("G g", text(TopPhrase.legend)),
    ]
  }

  private mutating func drawFooter() {
    guard rows > TopLayout.head else { return }
    if let confirmation = session.confirmation {
      // The confirmation can cover the question, so the question counts as not readable.
      legible.question = nil
      // A confirmation that does not fit is not shown, because a shortened app name could mislead the user.
      let lines = Columns.wrapped(confirmation.question, to: columns - 1)
      guard lines.count < rows - TopLayout.head + 1 else {
        frame.put(text(TopPhrase.tooSmall), row: rows - 1, column: 0, to: columns - 1, style: .bold)
        return
      }
      for (offset, line) in lines.enumerated() {
        let row = rows - lines.count + offset
        frame.clear(row: row)
        frame.put(line, row: row, column: 0, to: columns - 1, style: Style(isBold: true, isReversed: true))
      }
      legible.confirmation = confirmation
      return
    }
    if session.pager != nil, session.message == nil {
      frame.put(text(TopPhrase.anyKey), row: rows - 1, column: 0, to: columns - 1, style: .bold)
      return
    }
    let (help, end) = ("? \(text(TopPhrase.help))", "q \(text(TopPhrase.end))")
    // The sections that the screen has no room for.
    let names = hidden.isEmpty ? [] : ["+ \(language.list(hidden.map { $0.title(in: language) }))"]
    var hints = [help, "Tab \(text(TopPhrase.part))", end] + names
    func isTooWide() -> Bool { Columns.width(of: hints.joined(separator: "   ")) >= columns }
    // In a narrow terminal, the names of the sections replace the text about the key that leads to these sections.
    if isTooWide(), !names.isEmpty { hints = [help, "Tab \(names[0])", end] }
    if isTooWide() { hints.removeLast() }
    let hint = hints.joined(separator: "   ")
    frame.put(
      session.message?.text ?? hint, row: rows - 1, column: 0, to: columns - 1,
      style: session.message == nil ? .plain : .bold)
  }
}
