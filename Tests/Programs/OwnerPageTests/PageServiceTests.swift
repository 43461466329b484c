import Logging
import OperatingSystem
import RecordingClients
import Requirements
import ScriptedGateways
import Testing

@testable import Features

@Suite(.patient) struct PageServiceTests {
  private let gateway = OwnersGateway()

  @Test func `the log has the start and the end of a session`() async throws {
    let page = try await ServedPage(log: RecordingLog(.notice))
    let opened = try await page.ask("/open", as: page.link())
    let session = try #require(PageToken(offered: opened.body))
    #expect(opened.status == 200 && page.log.all == ["page session started [:]"])
    let left = try await page.ask("/leave", as: session)
    #expect(left.status == 204 && page.log.all == ["page session started [:]", "page session ended [:]"])
  }

  @Test(arguments: [
    ("/open", "the link", 3, true), ("/open", "the link", 4, false), ("/verb", "the session", 3, true),
    ("/verb", "the session", 4, false),
  ])
  func `the log has an entry for each wrong token until the delay of the answer is eight seconds`(
    target: String, what: String, failures: Int, isLogged: Bool
  ) async throws {
    let page = try await ServedPage(log: RecordingLog(.notice))
    for _ in 0..<failures { _ = page.authenticator.recordFailure(at: SystemClock.monotonic) }
    let wrong = PageToken([UInt8](repeating: 0, count: 32))
    let response = ReceivedResponse()
    let request = Task { try await page.answer(target, as: wrong, to: response) }
    // The browser disconnects, so that the test does not wait for the delay.
    request.cancel()
    try await request.value
    let entry = "cannot answer a request from the owner's page: \(what) is invalid or has expired [:]"
    #expect(page.log.all == (isLogged ? [entry] : []))
    #expect(response.status == nil)
  }

  @Test(arguments: ["/events", "/verb", "/report"])
  func `a request is refused as unavailable while the gateway does not run`(target: String) async throws {
    let response = try await ServedPage().ask(target, body: "lock")
    #expect(response.status == 503)
  }

  @Test(arguments: ["/events", "/verb", "/report", "/present", "/leave"])
  func `a request is refused as unavailable if there is no room for its connection`(target: String) async throws {
    let (page, response) = (try await ServedPage(gateway), ReceivedResponse())
    try await page.answer(target, body: "lock", isAdmitted: false, to: response)
    #expect(response.status == 503 && gateway.heard.values.isEmpty)
    #expect(try await page.ask("/present").status == 204)
  }

  @Test func `a gateway that disconnects during an answer ends the connection, and the log has the cause`()
    async throws
  {
    let page = try await ServedPage(OwnersGateway(closingAt: "VERIFY"))
    let response = try await page.ask("/report")
    #expect(response.status == nil)
    #expect(page.log.all.contains { $0.hasPrefix("page connection ended [\"cause\": ") }, "\(page.log.all)")
  }

  @Test func `a second report is refused as unavailable until the first one has ended`() async throws {
    let page = try await ServedPage(gateway)
    #expect(page.authenticator.beginReport())
    let refused = try await page.ask("/report")
    #expect(refused.status == 503)
    page.authenticator.endReport()
    for _ in 0..<2 {
      let report = try await page.ask("/report")
      #expect(report.status == 200 && report.isComplete)
    }
  }

  @Test(arguments: [(20_000, 0), (20_001, 1)])
  func `a report has the latest 20,000 log entries`(last: Int, after: Int) async throws {
    gateway.setAnswer(to: "VERIFY", fields: "state=good entries=\(last) first=1 last=\(last)")
    let report = try await ServedPage(gateway).ask("/report")
    #expect(report.status == 200)
    #expect(gateway.heard.values.filter { $0.hasPrefix("LOG") } == ["LOG limit=2000 after=\(after)"])
  }
}
