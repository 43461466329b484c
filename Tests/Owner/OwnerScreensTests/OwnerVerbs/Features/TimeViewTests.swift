import Base
import LineProtocol
import Testing

@testable import OwnerScreens

@Suite struct TimeViewTests {
  @Test(
    arguments: [
      ([:], nil), (["time": "waiting", "time-sent": "0", "time-failed": "0"], "no sample for chrony yet"),
      (
        ["time": "failed", "time-fault": "permission-denied", "time-sent": "0", "time-failed": "7"],
        "no sample for chrony yet, permission-denied"
      ),
      (
        [
          "time": "sent", "time-last": "2026-11-21T07:31:34.000Z", "time-offset-s": "-0.0830", "time-sent": "60",
          "time-failed": "2",
        ], "last sample 2026-11-21 07:31:34, offset -0.0830 s; sent 60, failed 2"
      ),
    ] as [(ServerLine.Fields, String?)])
  func `the state has a row about the time for chrony, if it is configured`(fields: ServerLine.Fields, row: String?) {
    let lines = TextFormatter(language: .english, columns: 4096).status(fields)
    #expect(lines.first { $0.hasPrefix("Time") }?.hasSuffix("  \(row ?? "")") == row.map { _ in true })
  }

  @Test func `a report says that local users can see when the receiver has no fix`() throws {
    let view = try #require(TimeView(["time": "failed"]))
    let notice = view.notice(TextFormatter(unwrapped: .english))
    #expect(notice.hasPrefix("chrony gets the time of the receiver: ") && notice.contains("local user"))
    #expect(TimeView(["gateway": "boat-7"]) == nil)
  }
}
