import Clocks
import Hardware
import Testing

@testable import Gateway

private func at(_ milliseconds: Int) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
}

private let sentence = Array("$GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,*7F\r\n".utf8)

@Test func `a receiver that falls silent is not ready any more, and its fix is gone`() throws {
  var reception = Reception(isLive: true)
  reception.opened()
  #expect(reception.condition.state == .starting)
  _ = reception.take(sentence, at: at(0))
  var now = at(0)
  while let deadline = reception.nextDeadline, reception.latest == nil {
    now = deadline
    _ = reception.idle(at: now)
  }
  #expect(reception.condition.state == .ready)
  #expect(reception.latest != nil)
  let silent = try #require(reception.nextDeadline)
  #expect(silent == at(6000))
  _ = reception.idle(at: silent - .milliseconds(1))
  #expect(reception.condition.state == .ready)
  _ = reception.idle(at: silent)
  #expect(reception.condition.state == .starting)
  #expect(reception.latest == nil)
  #expect(reception.nextDeadline == nil)
}

@Test func `a receiver that is lost has no fix`() {
  var reception = Reception(isLive: true)
  reception.opened()
  _ = reception.take(sentence, at: at(0))
  _ = reception.idle(at: at(1000))
  reception.lost(cause: "unplugged")
  #expect(reception.condition.state == .absent)
  #expect(reception.latest == nil)
}

@Test(arguments: [
  ("2026-11-21", "2023-07-11"),  // The clock is right: the log is old.
  ("2043-03-01", "2043-02-24"),  // The receiver's week has rolled over since.
  ("1970-01-01", "2043-02-24"),  // The clock tells nothing.
])
func `a date before the floor is a week rollover only where this machine's clock allows it`(
  today: String, date: String
) throws {
  func day(_ text: String) throws -> UTCDate { try #require(UTCTime(iso8601: "\(text)T00:00:00Z")).date }
  var reception = Reception(isLive: true)
  reception.opened()
  reception.today = try day(today)
  let old = "$GNRMC,060412.00,A,3509.9236360,N,13652.8865444,E,0.087,73.28,110723,,,A,V*3C\r\n"
  _ = reception.take(Array(old.utf8), at: at(0))
  while let deadline = reception.nextDeadline, reception.latest == nil { _ = reception.idle(at: deadline) }
  #expect(try #require(reception.latest).date == day(date))
}
