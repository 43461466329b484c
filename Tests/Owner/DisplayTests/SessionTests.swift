import Base
import Testing

@testable import Display

private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

/// A session of a display of 64 rows, of a gateway with which the display shows nothing.
private struct Watched {
  var session = DisplaySession(height: 64) { _ in nil }

  mutating func update(at milliseconds: Int64, _ change: (inout DisplayContent) -> Void = { _ in }) {
    var content = DisplayContent()
    content.idle = ["bench", "Receiver: ready"]
    change(&content)
    session.update(content, at: at(milliseconds))
  }

  mutating func ask(_ prompt: Int, _ paragraphs: [String], at milliseconds: Int64) {
    update(at: milliseconds) { $0.question = .init(prompt: prompt, paragraphs: paragraphs) }
  }

  /// Shows the page of an instant, and returns its lines; nil if the display is off.
  mutating func lines(at milliseconds: Int64) -> [String]? {
    session.pass(to: at(milliseconds))
    session.noteShown(since: at(milliseconds))
    return session.page?.lines
  }
}

@Suite struct SessionTests {
  private let twelveLines = (1...12).map { "line number \($0)" }

  @Test func `a question counts as read only after each page was in view for the time of its lines`() {
    var display = Watched()
    display.ask(7, twelveLines, at: 1000)
    for (milliseconds, page) in [(1000, 0), (2799, 0), (2800, 4), (4600, 8), (6399, 8)] as [(Int64, Int)] {
      #expect(display.lines(at: milliseconds) == Array(twelveLines[page..<page + 4]))
    }
    #expect(display.session.readPrompt == nil && display.lines(at: 6400) == Array(twelveLines[0..<4]))
    #expect(display.session.readPrompt == 7)
  }

  @Test func `a page that the display shows late is not skipped, and has the whole time of its lines`() {
    var display = Watched()
    display.ask(7, Array(twelveLines[0..<5]), at: 0)
    #expect(display.lines(at: 100) == Array(twelveLines[0..<4]))
    #expect([1000, 2000].map { display.session.timeToTurn(at: at($0)) } == [.milliseconds(900), .zero])
    // The program does not run for a while, in which the fifth line had its time.
    for milliseconds in [2800, 3249] as [Int64] {
      #expect(display.lines(at: milliseconds) == [twelveLines[4]] && display.session.readPrompt == nil)
    }
    #expect(display.lines(at: 3250) == Array(twelveLines[0..<4]) && display.session.readPrompt == 7)
  }

  @Test func `a page that the display does not show does not count as read`() {
    var display = Watched()
    display.ask(7, ["one"], at: 0)
    display.session.pass(to: at(60_000))
    #expect(display.session.readPrompt == nil && display.session.timeToTurn(at: at(60_000)) == nil)
  }

  @Test func `a text that changes must be read again, and the same text need not`() {
    var display = Watched()
    display.session = DisplaySession(height: 32) { _ in nil }
    display.ask(7, ["one", "two"], at: 0)
    display.session.noteShown(since: at(0))
    // The same text at 800 ms does not begin its time again.
    for (prompt, second, milliseconds, end) in [
      (7, "two", 800, 900), (7, "three", 1000, 1900), (8, "three", 2000, 2900),
    ] as [(Int, String, Int64, Int64)] {
      display.ask(prompt, ["one", second], at: milliseconds)
      display.session.noteShown(since: at(milliseconds))
      #expect(display.session.readPrompt == nil)
      display.session.pass(to: at(end))
      #expect(display.session.readPrompt == prompt)
    }
  }

  @Test func `the effect of a press is shown for ten seconds, but not the effect of an earlier press`() {
    var display = Watched()
    let paragraphs = ["gave ferry one fix", "precise"]
    display.update(at: 0) { $0.notice = .init(id: "served ferry 1", paragraphs: paragraphs) }
    #expect(display.lines(at: 0) == nil)
    display.update(at: 1000) { $0.notice = .init(id: "served ferry 2", paragraphs: paragraphs) }
    for milliseconds in [1000, 10_999] as [Int64] {
      #expect(display.lines(at: milliseconds) == ["gave ferry one", "fix", "precise"])
    }
    #expect(display.lines(at: 11_000) == nil)
  }

  @Test func `a state is shown for a minute, and again at the down edge`() {
    var display = Watched()
    display.update(at: 0) { $0.standing = ["locked"] }
    #expect(display.lines(at: 59_999) == ["locked"] && display.lines(at: 60_000) == nil)
    display.session.pressButton(at: at(70_000))
    #expect(display.lines(at: 70_000) == ["locked"])
  }

  @Test func `a display with nothing to say is off, and shows the gateway for ten seconds at the down edge`() {
    var display = Watched()
    #expect(display.session.page == nil)
    display.update(at: 0)
    #expect(display.session.page == nil)
    display.session.pressButton(at: at(1000))
    for time in [1000, 10_999] as [Int64] { #expect(display.lines(at: time) == ["bench", "Receiver: ready"]) }
    #expect(display.lines(at: 11_000) == nil)
  }

  @Test func `a question comes before a press, a press before a state, and the lock before an earlier press`() {
    var display = Watched()
    display.update(at: 0)
    let notice = DisplayContent.Notice(id: "1", paragraphs: ["notice"])
    display.update(at: 1) {
      $0.question = .init(prompt: 1, paragraphs: ["question"])
      ($0.notice, $0.standing) = (notice, ["state"])
    }
    #expect(display.lines(at: 1) == ["question"])
    display.update(at: 2) { ($0.notice, $0.standing) = (notice, ["state"]) }
    #expect(display.lines(at: 2) == ["notice"])
    var locked = display
    locked.update(at: 3) { ($0.isLocked, $0.notice, $0.standing) = (true, notice, ["locked"]) }
    #expect(locked.lines(at: 3) == ["locked"] && display.lines(at: 10_001) == ["state"])
  }
}
