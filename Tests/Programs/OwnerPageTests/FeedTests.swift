import Foundation
import Requirements
import ScriptedGateways
import Testing

@testable import Features

@Suite(.patient) struct FeedTests {
  private let gateway = OwnersGateway()

  private static let prompt = #""prompt":7,"app":"ferry","kind":"authorize","text":"?","choices":"once,no""#

  /// Returns the JSON objects in a part of the stream, one for each line.
  private func objects(_ part: String?) throws -> [[String: Any]] {
    let part = try #require(part)
    #expect(part.hasSuffix("\n") && !part.hasSuffix("\n\n"), "\(part)")
    return try part.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  private func names(_ part: String?) throws -> [[String]] { try objects(part).map { $0.keys.sorted() } }

  /// Opens a stream, and ends the session after the first part of the stream.
  private func streamOnce(_ body: String) async throws -> ReceivedResponse {
    let page = try await ServedPage(gateway)
    let response = ReceivedResponse()
    async let end: Void = page.answer("/events", body: body, to: response)
    for await _ in response.parts { break }
    page.endSession()
    try await end
    return response
  }

  @Test func `the first line has the whole state, and each later line has only the changed part`() async throws {
    let page = try await ServedPage(gateway)
    let response = ReceivedResponse()
    async let end: Void = page.answer("/events", body: "20", to: response)
    var parts = response.parts.makeAsyncIterator()
    var looks = gateway.looks.makeAsyncIterator()
    let first = try names(await parts.next(isolation: #isolation))
    #expect(first == [["apps", "log", "prompts", "signals", "status"]])
    await looks.next(isolation: #isolation)
    // The page looks at the same state again, and sends no line.
    page.markChanged()
    await looks.next(isolation: #isolation)
    let changes = [
      ("status", "STATUS", "locked=true", nil),
      ("apps", "APPS", "", #"{"app":"ferry","shown":"always","accuracy":"full"}"#),
      ("prompts", "PROMPTS", "", "{\(Self.prompt),\"state\":\"open\"}"),
      ("signals", "SKY", "", #"{"gnss":"gps","id":3,"ss":44}"#),
      ("log", "LOG", "", #"{"entry":1,"time":"2026-11-21T07:31:34.200Z","app":"ferry","event":"once"}"#),
    ]
    for (name, verb, fields, message) in changes {
      gateway.setAnswer(to: verb, fields: fields, messages: message.map { [$0] } ?? [])
      page.markChanged()
      let next = try names(await parts.next(isolation: #isolation))
      #expect(next == [[name]])
    }
    page.endSession()
    try await end
  }

  @Test func `a heartbeat is an empty line, and reads nothing of the gateway`() async throws {
    let page = try await ServedPage(gateway)
    let response = ReceivedResponse()
    async let end: Void = page.answer("/events", body: "20", to: response)
    var parts = response.parts.makeAsyncIterator()
    _ = await parts.next(isolation: #isolation)
    let heard = gateway.heard.values
    for _ in 1...2 {
      page.passHeartbeat()
      let part = await parts.next(isolation: #isolation)
      #expect(part == "\n")
    }
    #expect(gateway.heard.values == heard)
    page.endSession()
    try await end
  }

  @Test(arguments: [
    ("20", "LOG limit=20"), ("", "LOG limit=20"), ("x", "LOG limit=20"), ("-7", "LOG limit=1"), ("0", "LOG limit=1"),
    ("1", "LOG limit=1"), ("2000", "LOG limit=2000"), ("2001", "LOG limit=2000"),
    ("20 512", "LOG limit=20 after=491"), ("20 20", "LOG limit=20 after=0"),
    ("20 -9223372036854775808", "LOG limit=20 after=0"), ("20 x", "LOG limit=20"), ("20 512 7", "LOG limit=20"),
  ])
  func `the body of the request chooses the count of log entries and the entry after them`(
    body: String, command: String
  ) async throws {
    let response = try await streamOnce(body)
    // The stream is complete at the end of the session.
    #expect(response.status == 200 && response.isComplete)
    #expect(gateway.heard.values.filter { $0.hasPrefix("LOG") } == [command])
  }

  @Test(arguments: [("20 1", 0), ("20 2", 1)])
  func `an earlier page of the log has only the entries before its number`(body: String, count: Int) async throws {
    gateway.setAnswer(to: "LOG", messages: [#"{"entry":1,"time":"2026-11-21T07:31:34.200Z","event":"once"}"#])
    let response = try await streamOnce(body)
    let rows = try objects(response.body).first?["log"] as? [Any]
    #expect(rows?.count == count)
  }

  @Test func `an answered prompt is news, and a new prompt is only part of the state`() async throws {
    let gateway = OwnersGateway(
      news: ["{\(Self.prompt),\"state\":\"open\"}", "{\(Self.prompt),\"state\":\"no\",\"by\":\"owner\"}"])
    let page = try await ServedPage(gateway)
    let response = ReceivedResponse()
    async let end: Void = page.answer("/events", body: "20", to: response)
    var news: [String: Any]?
    for await part in response.parts {
      news = try objects(part).compactMap { $0["news"] as? [String: Any] }.first
      if news != nil { break }
    }
    #expect(news?["prompt"] as? Int == 7 && news?["isByOwner"] as? Bool == true)
    #expect(news?["lines"] as? [String] == ["ferry: answered by another owner: no"])
    page.endSession()
    try await end
  }

  @Test(arguments: [0, 1])
  func `after the end of the session, the stream asks the gateway for nothing, and sends nothing`(checks: Int)
    async throws
  {
    let (response, done) = (ReceivedResponse(), Recorder<Bool>())
    try await ServedPage(gateway).stream(
      while: {
        done.record(true)
        return done.values.count <= checks
      }, to: response)
    // The session can also end while the gateway answers the page.
    #expect(gateway.heard.values.contains("STATUS") == (checks > 0) && response.body == "")
  }
}
