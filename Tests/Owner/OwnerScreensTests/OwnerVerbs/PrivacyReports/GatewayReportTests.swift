import Base
import LineProtocol
import Synchronization
import Testing

@testable import OwnerScreens

private let now = UTCTime(iso8601: "2026-11-21T12:00:00Z")!

/// A gateway with a long log.
private final class Archive: OwnerGateway, Sendable {
  let count: Int
  /// The number of entries that were written before the clock was set.
  let unset: Int

  /// The number of commands that the gateway accepts before the client must pause.
  private let accepts: Int
  private let state = Mutex((accepted: 0, pauses: 0, starts: [Int]()))

  init(_ count: Int, unset: Int = 0, accepts: Int = .max) {
    self.count = count
    self.unset = unset
    self.accepts = accepts
  }

  var pauses: Int { state.withLock { $0.pauses } }

  var starts: [Int] { state.withLock { $0.starts } }

  func pause() async throws { state.withLock { ($0.accepted, $0.pauses) = (0, $0.pauses + 1) } }

  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    let isAccepted = state.withLock { state in
      state.accepted += 1
      return state.accepted <= accepts
    }
    guard isAccepted else { throw LineError(.rateLimited, "more than 50 commands at once (wait a second)") }
    switch command {
    case .owner(.log(_, _, let limit?, let number)):
      let after = number ?? max(0, count - limit)
      state.withLock { $0.starts.append(after) }
      let entries = (after..<max(after, min(after + limit, count))).map { entry in
        let time = entry < unset ? "1970-01-01T01:00:00Z" : "2026-11-21T07:00:00Z"
        return Self.message(
          #"{"entry":\#(entry + 1),"time":"\#(time)","app":"ferry","event":"disclosure","accuracy":"full"}"#)
      }
      return (["count": "\(entries.count)"], entries)
    case .owner(.counts):
      return ([:], [Self.message(#"{"day":"2026-11-20","app":"ferry","answer":"no-press","count":2}"#)])
    case .owner(.verify): return (["state": "good", "entries": "\(count)", "first": "1", "last": "\(count)"], [])
    case .status: return (count > 0 ? ["time": "sent"] : [:], [])
    default: throw LineError(.unknownVerb, "")
    }
  }

  private static func message(_ json: String) -> ServerLine.Message { .init(topic: "owner/log", sid: "-", json: json) }

  /// The numbers of the latest entries, in the order of their arrival.
  func latest(_ most: Int, app: String? = nil) async throws -> [Int] {
    var entries: [Int] = []
    try await latestEntries(most, since: nil, app: app) { json in
      if let entry = EntryMessage(json: json) { entries.append(entry.entry) }
    }
    return entries
  }
}

@Test(arguments: [(0, [0]), (5, [0]), (2000, [0, 2000]), (4001, [0, 2000, 4000])])
func `a log of any length is requested in pages, each entry once`(count: Int, starts: [Int]) async throws {
  let archive = Archive(count)
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
  let report = try await PrivacyReport(from: archive, named: "boat-7", most: most, now: now)
  #expect(archive.starts == starts && report.apps.map(\.fixCount) == [taken])
  // The report begins at the first of these entries, or at the first one after the clock was set.
  #expect(report.from.iso8601 == (count > most ? "2026-11-21T07:00:00.000Z" : "2026-11-20T00:00:00.000Z"))
  let unset = try await PrivacyReport(from: Archive(count, unset: count - 10), named: "boat-7", most: most, now: now)
  #expect(unset.from == report.from && unset.apps.map(\.fixCount) == [taken])
}

@Test(arguments: [
  (100, 30, [70]), (100, 300, [0]), (9000, 2000, [7000]), (5000, 3000, [4999, 2000, 4000]),
  (9000, 2500, [8999, 6500, 8500]), (3000, .max, [0, 2000]),
])
func `the latest entries are the last ones, in order, and one command requests as many as it can`(
  count: Int, most: Int, starts: [Int]
) async throws {
  let archive = Archive(count)
  #expect(try await archive.latest(most) == Array(max(0, count - min(most, count)) + 1...count))
  #expect(archive.starts == starts)
}

@Test(arguments: [(9000, 2500), (9000, 5000), (8000, 4000), (5000, 4999), (3000, 2000), (2500, 3000)])
func `the latest entries of an app are the last ones, and a search for them keeps no entries`(count: Int, most: Int)
  async throws
{
  #expect(try await Archive(count).latest(most, app: "ferry") == Array(max(0, count - most) + 1...count))
}

@Test func `a long log is read completely, although the gateway refuses many commands`() async throws {
  let archive = Archive(250_000, accepts: 50)
  var count = 0
  try await archive.latestEntries(.max, since: nil, app: nil) { _ in count += 1 }
  #expect(count == 250_000 && archive.pauses == 2)
  let report = try await PrivacyReport(from: Archive(20_000, accepts: 2), named: "boat-7", now: now)
  #expect(report.apps.map(\.fixCount) == [20_000])
}

@Test func `an embedded report has a lower heading and needs no permission of the page's policy`() async throws {
  let report = try await PrivacyReport(from: Archive(0), named: "boat-7", now: now)
  let body = report.body(heading: 3)
  #expect(body.hasPrefix("<h3>Location requests to boat-7</h3>") && report.page.contains("<h1>Location requests"))
  #expect(body.contains("<svg") && !body.contains("style=") && !body.contains("<style"))
}
