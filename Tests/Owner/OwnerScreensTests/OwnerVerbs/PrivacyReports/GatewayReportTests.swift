import Base
import LineProtocol
import Synchronization
import Testing

@testable import OwnerScreens

/// A gateway with a long log.
private final class Archive: OwnerGateway, Sendable {
  private let asked = Mutex<[Int]>([])
  let count: Int
  /// The number of entries that were written before the clock was set.
  let unset: Int

  /// The number of commands that the gateway accepts before the client must pause.
  private let accepts: Int
  private let state = Mutex((accepted: 0, pauses: 0))

  init(_ count: Int, unset: Int = 0, accepts: Int = .max) {
    self.count = count
    self.unset = unset
    self.accepts = accepts
  }

  var pauses: Int { state.withLock { $0.pauses } }

  func pause() async throws { state.withLock { $0 = (0, $0.pauses + 1) } }

  var starts: [Int] { asked.withLock { $0 } }

  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    let isAccepted = state.withLock { state in
      state.accepted += 1
      return state.accepted <= accepts
    }
    guard isAccepted else { throw LineError(.rateLimited, "more than 50 commands at once (wait a second)") }
    switch command {
    case .owner(.log(_, _, let limit?, let number)):
      let after = number ?? max(0, count - limit)
      asked.withLock { $0.append(after) }
      let last = min(after + limit, count)
      let entries = after < last ? Array(after + 1...last) : []
      return (
        ["count": "\(entries.count)"],
        entries.map {
          Self.message(
            #"{"entry":\#($0),"time":"\#($0 <= unset ? "1970-01-01T01:00:00Z" : "2026-11-21T07:00:00Z")","#
              + #""app":"ferry","event":"disclosure","accuracy":"full"}"#)
        }
      )
    case .owner(.counts):
      return ([:], [Self.message(#"{"day":"2026-11-20","app":"ferry","answer":"no-press","count":2}"#)])
    case .owner(.verify): return (["state": "good", "entries": "\(count)", "first": "1", "last": "\(count)"], [])
    case .status: return (count > 0 ? ["time": "sent"] : [:], [])
    default: throw LineError(.unknownVerb, "")
    }
  }

  private static func message(_ json: String) -> ServerLine.Message { .init(topic: "owner/log", sid: "-", json: json) }
}

@Test(arguments: [(0, [0]), (5, [0]), (2000, [0, 2000]), (4001, [0, 2000, 4000])])
func `a log of any length is requested in pages, each entry once`(count: Int, starts: [Int]) async throws {
  let archive = Archive(count)
  let now = try #require(UTCTime(iso8601: "2026-11-21T12:00:00Z"))
  let report = try await PrivacyReport(from: archive, named: "boat-7", now: now)
  #expect(archive.starts == starts)
  #expect(report.apps.map(\.requests) == [count + 2] && report.isLogGood && report.gateway == "boat-7")
  #expect(report.notices.map { $0.prefix { $0 != ":" } } == (count > 0 ? ["chrony gets the time of the receiver"] : []))
}

@Test(arguments: [(100, 20, [80], 20), (5000, 3000, [2000, 4000], 3000), (10, 20, [0], 10)])
func `if the log is too long, only the latest entries are requested`(
  count: Int, most: Int, starts: [Int], taken: Int
) async throws {
  let archive = Archive(count)
  let now = try #require(UTCTime(iso8601: "2026-11-21T12:00:00Z"))
  let report = try await PrivacyReport(from: archive, named: "boat-7", most: most, now: now)
  #expect(archive.starts == starts && report.apps.map(\.fixCount) == [taken])
  // The report begins at the first of these entries.
  #expect(report.from.iso8601 == (count > most ? "2026-11-21T07:00:00.000Z" : "2026-11-20T00:00:00.000Z"))
}

@Test func `a report of the latest entries begins with the first entry after the clock was set`() async throws {
  let now = try #require(UTCTime(iso8601: "2026-11-21T12:00:00Z"))
  let some = try await PrivacyReport(from: Archive(100, unset: 90), named: "boat-7", most: 20, now: now)
  #expect(some.from.iso8601 == "2026-11-21T07:00:00.000Z" && some.apps.map(\.fixCount) == [20])
}

@Test(arguments: [
  (100, 30, [70]), (100, 300, [0]), (9000, 2000, [7000]), (5000, 3000, [4999, 2000, 4000]),
  (9000, 2500, [8999, 6500, 8500]), (3000, .max, [0, 2000]),
])
func `the latest entries are the last ones, in order, and one command requests as many as it can`(
  count: Int, most: Int, starts: [Int]
) async throws {
  let archive = Archive(count)
  var receive: [Int] = []
  try await archive.latestEntries(most, since: nil, app: nil) { json in
    if let entry = EntryMessage(json: json) { receive.append(entry.entry) }
  }
  #expect(receive == Array(max(0, count - min(most, count)) + 1...count))
  #expect(archive.starts == starts)
}

@Test(arguments: [(9000, 2500), (9000, 5000), (8000, 4000), (5000, 4999), (3000, 2000), (2500, 3000)])
func `the latest entries of an app are the last ones, and a search for them keeps no entries`(count: Int, most: Int)
  async throws
{
  let archive = Archive(count)
  var received: [Int] = []
  try await archive.latestEntries(most, since: nil, app: "ferry") { json in
    if let entry = EntryMessage(json: json) { received.append(entry.entry) }
  }
  #expect(received == Array(max(0, count - most) + 1...count))
}

@Test func `a long log is read completely, although the gateway refuses many commands`() async throws {
  let archive = Archive(250_000, accepts: 50)
  var count = 0
  try await archive.latestEntries(.max, since: nil, app: nil) { _ in count += 1 }
  #expect(count == 250_000)
  #expect(archive.pauses == 2)
  let now = try #require(UTCTime(iso8601: "2026-11-21T12:00:00Z"))
  let report = try await PrivacyReport(from: Archive(20_000, accepts: 2), named: "boat-7", now: now)
  #expect(report.apps.map(\.fixCount) == [20_000])
}

@Test
func `an embedded report has a lower heading and needs no permission of the page's policy`()
  throws
{
  let report = PrivacyReport(
    gateway: "boat-7", since: nil, now: try #require(UTCTime(iso8601: "2026-11-21T12:00:00Z")),
    entries: LoggedRequests(),
    answers: [#"{"day":"2026-11-20","app":"ferry","answer":"no-press","count":2}"#], logState: "good", isLogGood: true)
  let body = report.body(heading: 3)
  #expect(body.hasPrefix("<h3>Location requests to boat-7</h3>") && report.page.contains("<h1>Location requests"))
  #expect(body.contains("<svg") && !body.contains("style=") && !body.contains("<style"))
}
