import Base
import Testing

@testable import Display

private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

private func content(_ change: (inout DisplayContent) -> Void = { _ in }) -> DisplayContent {
  var content = DisplayContent()
  content.idle = ["bench", "Receiver: ready"]
  change(&content)
  return content
}

/// Shows the page of an instant, and returns its lines; nil if the display is off.
private func lines(_ session: inout DisplaySession, at milliseconds: Int64) -> [String]? {
  session.pass(to: at(milliseconds))
  session.noteShown(since: at(milliseconds))
  return session.page?.lines
}

@Suite struct SessionTests {
  private let twelveLines = (1...12).map { "line number \($0)" }

  @Test func `a display with nothing to say is off`() {
    var session = DisplaySession(height: 64) { _ in nil }
    #expect(session.page == nil)
    session.update(content(), at: at(0))
    #expect(session.page == nil)
  }

  @Test func `a locked gateway shows the lock before an earlier press`() {
    var session = DisplaySession(height: 64) { _ in nil }
    session.update(content(), at: at(0))
    session.update(content { $0.notice = .init(id: "7", paragraphs: ["gave"]) }, at: at(1000))
    #expect(lines(&session, at: 1000) == ["gave"])
    let locked = content {
      ($0.isLocked, $0.notice, $0.standing) = (true, .init(id: "7", paragraphs: ["gave"]), ["locked"])
    }
    session.update(locked, at: at(2000))
    #expect(lines(&session, at: 2000) == ["locked"])
  }

  @Test func `a question counts as read only after each page was in view for the time of its lines`() {
    var session = DisplaySession(height: 64) { _ in nil }
    session.update(content { $0.question = .init(prompt: 7, paragraphs: twelveLines) }, at: at(1000))
    #expect(lines(&session, at: 1000) == Array(twelveLines[0..<4]))
    #expect(lines(&session, at: 2799) == Array(twelveLines[0..<4]))
    #expect(lines(&session, at: 2800) == Array(twelveLines[4..<8]))
    #expect(lines(&session, at: 4600) == Array(twelveLines[8..<12]))
    #expect(lines(&session, at: 6399) == Array(twelveLines[8..<12]))
    #expect(session.readPrompt == nil)
    #expect(lines(&session, at: 6400) == Array(twelveLines[0..<4]))
    #expect(session.readPrompt == 7)
  }

  @Test func `a page that the display shows late is not skipped, and has the whole time of its lines`() {
    var session = DisplaySession(height: 64) { _ in nil }
    session.update(content { $0.question = .init(prompt: 7, paragraphs: Array(twelveLines[0..<5])) }, at: at(0))
    #expect(lines(&session, at: 100) == Array(twelveLines[0..<4]))
    #expect(session.timeToTurn(at: at(1000)) == .milliseconds(900) && session.timeToTurn(at: at(2000)) == .zero)
    // The program does not run for a while, in which the fifth line had its time.
    #expect(lines(&session, at: 2800) == [twelveLines[4]] && session.readPrompt == nil)
    #expect(lines(&session, at: 3249) == [twelveLines[4]] && session.readPrompt == nil)
    #expect(lines(&session, at: 3250) == Array(twelveLines[0..<4]))
    #expect(session.readPrompt == 7)
  }

  @Test func `a page that the display does not show does not count as read`() {
    var session = DisplaySession(height: 64) { _ in nil }
    session.update(content { $0.question = .init(prompt: 7, paragraphs: ["one"]) }, at: at(0))
    session.pass(to: at(60_000))
    #expect(session.readPrompt == nil && session.timeToTurn(at: at(60_000)) == nil)
  }

  @Test func `a text that changes must be read again, and the same text need not`() {
    var session = DisplaySession(height: 32) { _ in nil }
    func ask(_ prompt: Int, _ second: String, at milliseconds: Int64) {
      let question = DisplayContent.Question(prompt: prompt, paragraphs: ["one", second])
      session.update(content { $0.question = question }, at: at(milliseconds))
      session.noteShown(since: at(milliseconds))
    }
    ask(7, "two", at: 0)
    ask(7, "two", at: 800)
    session.pass(to: at(900))
    #expect(session.readPrompt == 7)
    ask(7, "three", at: 1000)
    #expect(session.readPrompt == nil)
    session.pass(to: at(1900))
    #expect(session.readPrompt == 7)
    ask(8, "three", at: 2000)
    #expect(session.readPrompt == nil)
    session.pass(to: at(2900))
    #expect(session.readPrompt == 8)
  }

  @Test func `the effect of a press is shown for ten seconds, but not the effect of an earlier press`() {
    var session = DisplaySession(height: 64) { _ in nil }
    let notice = DisplayContent.Notice(id: "served ferry 1", paragraphs: ["gave ferry one fix", "precise"])
    session.update(content { $0.notice = notice }, at: at(0))
    #expect(lines(&session, at: 0) == nil)
    let next = DisplayContent.Notice(id: "served ferry 2", paragraphs: ["gave ferry one fix", "precise"])
    session.update(content { $0.notice = next }, at: at(1000))
    #expect(lines(&session, at: 1000) == ["gave ferry one", "fix", "precise"])
    session.pass(to: at(10_999))
    #expect(lines(&session, at: 10_999) != nil)
    session.pass(to: at(11_000))
    #expect(lines(&session, at: 11_000) == nil)
  }

  @Test func `a state is shown for a minute, and again at the down edge`() {
    var session = DisplaySession(height: 64) { _ in nil }
    session.update(content { $0.standing = ["locked"] }, at: at(0))
    #expect(lines(&session, at: 59_999) == ["locked"])
    session.pass(to: at(60_000))
    #expect(lines(&session, at: 60_000) == nil)
    session.pressButton(at: at(70_000))
    #expect(lines(&session, at: 70_000) == ["locked"])
  }

  @Test func `the down edge shows the gateway if there is nothing else`() {
    var session = DisplaySession(height: 64) { _ in nil }
    session.update(content(), at: at(0))
    session.pressButton(at: at(1000))
    for time in [1000, 10_999] as [Int64] { #expect(lines(&session, at: time) == ["bench", "Receiver: ready"]) }
    session.pass(to: at(11_000))
    #expect(lines(&session, at: 11_000) == nil)
  }

  @Test func `a question comes before a press, and a press before a state`() {
    var session = DisplaySession(height: 64) { _ in nil }
    session.update(content(), at: at(0))
    let notice = DisplayContent.Notice(id: "1", paragraphs: ["notice"])
    session.update(
      content {
        $0.question = .init(prompt: 1, paragraphs: ["question"])
        ($0.notice, $0.standing) = (notice, ["state"])
      }, at: at(1))
    #expect(lines(&session, at: 1) == ["question"])
    session.update(content { ($0.notice, $0.standing) = (notice, ["state"]) }, at: at(2))
    #expect(lines(&session, at: 2) == ["notice"])
    session.pass(to: at(10_001))
    #expect(lines(&session, at: 10_001) == ["state"])
  }
}
