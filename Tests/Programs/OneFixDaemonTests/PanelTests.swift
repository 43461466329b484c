import Authorization
import Base
import Hardware
import ReceiverStream
import Testing

@testable import Gateway
@testable import onefixd

@Suite struct PanelTests {
  private func app(_ name: String, purpose: String? = nil, isNext: Bool) throws -> Snapshot.Waiting {
    let app = try #require(AppID(name))
    return Snapshot.Waiting(app: app, since: UTCTime(nanosecondsSince1970: 0), purpose: purpose, isNext: isNext)
  }

  private func lines(_ waiting: Snapshot.Waiting...) -> [String] {
    let snapshot = Snapshot(
      gateway: "boat-7", board: "simulated", receiverName: "simulated", receiver: ReceiverCondition(state: .ready),
      indication: .off, isLit: false, colour: Colour(red: 0, green: 0, blue: 0), isLocked: false, isButtonDown: false,
      waiting: waiting, log: [])
    return Panel(columns: 80).lines(snapshot)
  }

  @Test func `A9: the panel marks the apps of the next press, and shows them first`() throws {
    #expect(lines().contains("  waiting   –"))
    let ferry = try app("ferry", isNext: false)
    #expect(lines(ferry).contains("  waiting   ferry"))
    let (logbook, parks) = (try app("logbook", isNext: true), try app("parks", purpose: "Find parks", isNext: true))
    #expect(lines(ferry, logbook, parks).contains("  waiting   ▸ logbook · ▸ parks: “Find parks” · ferry"))
  }
}
