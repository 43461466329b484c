import Authorization
import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

/// Returns the record of an answer to a prompt.
func answer(
  _ way: AnswerWay = .button, accuracy: FixAccuracy? = nil, purpose: String? = "To find 公園", language: String? = "de"
) -> AnswerEntry {
  AnswerEntry(
    app: ferry, prompt: .authorize, choice: .whileUsing, accuracy: accuracy, purpose: purpose, language: language,
    way: way)
}

@Test func `an answer over the socket has a user, or cannot be read`() throws {
  let directory = try TemporaryDirectory()
  do {
    let store = try directory.open()
    for way in [AnswerWay.socket(user: 7), .button] { try store.record(.answer(answer(way)), of: ferry, now: clock(5)) }
  }
  try directory.change(
    """
    DROP TRIGGER disclosure_log_keeps_entries;
    PRAGMA ignore_check_constraints = ON;
    UPDATE disclosure_log SET user = NULL;
    """)
  #expect(try directory.open().entries(limit: 10).map(\.event) == [.answer(answer())])
}

@Test func `an answer to a prompt is in the log with its purpose, language and way, and so is the end of a right`()
  throws
{
  let directory = try TemporaryDirectory()
  let answers = [
    answer(), answer(.console, accuracy: .reduced), answer(.page, purpose: nil), answer(.socket(user: .max)),
    answer(purpose: nil, language: nil),
  ]
  let events = answers.map { LogEntry.Event.answer($0) } + [.rightEnd(of: .always, .denied)]
  do {
    let store = try directory.open()
    for event in events { try store.record(event, of: ferry, now: clock(5)) }
  }
  let store = try directory.open(clock(9))
  #expect(store.lostDisclosures == [], "an answer opens no disclosure")
  #expect(try store.entries(limit: 10).map(\.event) == events)
  #expect(try store.entries(limit: 10).allSatisfy { $0.app == ferry && $0.time == clock(5).utc })
  #expect(try store.verifyLog().isGood)
}
