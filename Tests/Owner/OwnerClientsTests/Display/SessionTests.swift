import Base
import Testing

@testable import OwnerClients

private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

private func content(_ change: (inout DisplayContent) -> Void = { _ in }) -> DisplayContent {
  var content = DisplayContent()
  content.idle = ["bench", "Receiver: ready"]
  change(&content)
  return content
}

private func lines(_ session: DisplaySession, at milliseconds: Int64) -> [String]? {
  session.page(at: at(milliseconds))?.lines
}

@Suite struct SessionTests {
  private let twelveLines = (1...12).map { "line number \($0)" }

  @Test func `a display with nothing to say is off`() {
    var session = DisplaySession(height: 64)
    #expect(session.page(at: at(0)) == nil)
    session.update(content(), at: at(0))
    #expect(session.page(at: at(0)) == nil)
  }

  @Test func `a question counts as read only after each page was in view for the time of its lines`() {
    var session = DisplaySession(height: 64)
    session.update(content { $0.question = .init(prompt: 7, paragraphs: twelveLines) }, at: at(1000))
    #expect(lines(session, at: 1000) == Array(twelveLines[0..<4]))
    #expect(lines(session, at: 2799) == Array(twelveLines[0..<4]))
    #expect(lines(session, at: 2800) == Array(twelveLines[4..<8]))
    #expect(lines(session, at: 4600) == Array(twelveLines[8..<12]))
    #expect(session.readPrompt(at: at(6399)) == nil)
    #expect(session.readPrompt(at: at(6400)) == 7 && lines(session, at: 6400) == Array(twelveLines[0..<4]))
  }

  @Test func `a text that changes must be read again, and the same text need not`() {
    var session = DisplaySession(height: 32)
    session.update(content { $0.question = .init(prompt: 7, paragraphs: ["one", "two"]) }, at: at(0))
    session.update(content { $0.question = .init(prompt: 7, paragraphs: ["one", "two"]) }, at: at(800))
    #expect(session.readPrompt(at: at(900)) == 7)
    session.update(content { $0.question = .init(prompt: 7, paragraphs: ["one", "three"]) }, at: at(1000))
    #expect(session.readPrompt(at: at(1000)) == nil && session.readPrompt(at: at(1900)) == 7)
    session.update(content { $0.question = .init(prompt: 8, paragraphs: ["one", "three"]) }, at: at(2000))
    #expect(session.readPrompt(at: at(2000)) == nil && session.readPrompt(at: at(2900)) == 8)
  }

  @Test func `the effect of a press is shown for ten seconds, but not the effect of an earlier press`() {
    var session = DisplaySession(height: 64)
    let notice = DisplayContent.Notice(id: "served ferry 1", paragraphs: ["gave ferry one fix", "precise"])
    session.update(content { $0.notice = notice }, at: at(0))
    #expect(lines(session, at: 0) == nil)
    let next = DisplayContent.Notice(id: "served ferry 2", paragraphs: ["gave ferry one fix", "precise"])
    session.update(content { $0.notice = next }, at: at(1000))
    #expect(lines(session, at: 1000) == ["gave ferry one", "fix", "precise"])
    session.pass(to: at(10_999))
    #expect(lines(session, at: 10_999) != nil)
    session.pass(to: at(11_000))
    #expect(lines(session, at: 11_000) == nil)
  }

  @Test func `a state is shown for a minute, and again at the down edge`() {
    var session = DisplaySession(height: 64)
    session.update(content { $0.standing = ["locked"] }, at: at(0))
    #expect(lines(session, at: 59_999) == ["locked"])
    session.pass(to: at(60_000))
    #expect(lines(session, at: 60_000) == nil)
    session.pressButton(at: at(70_000))
    #expect(lines(session, at: 70_000) == ["locked"])
  }

  @Test func `the down edge shows the gateway if there is nothing else`() {
    var session = DisplaySession(height: 64)
    session.update(content(), at: at(0))
    session.pressButton(at: at(1000))
    #expect(lines(session, at: 1000) == ["bench", "Receiver: ready"])
    session.pass(to: at(11_000))
    #expect(lines(session, at: 11_000) == nil)
  }

  @Test func `a question comes before a press, and a press before a state`() {
    var session = DisplaySession(height: 64)
    session.update(content(), at: at(0))
    let notice = DisplayContent.Notice(id: "1", paragraphs: ["notice"])
    session.update(
      content {
        $0.question = .init(prompt: 1, paragraphs: ["question"])
        ($0.notice, $0.standing) = (notice, ["state"])
      }, at: at(1))
    #expect(lines(session, at: 1) == ["question"])
    session.update(content { ($0.notice, $0.standing) = (notice, ["state"]) }, at: at(2))
    #expect(lines(session, at: 2) == ["notice"])
    session.pass(to: at(10_001))
    #expect(lines(session, at: 10_001) == ["state"])
  }
}
