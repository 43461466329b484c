import Base
import LineProtocol
import OperatingSystem
import Testing

@testable import Gateway

@Suite struct MetricsTests {
  private func text(_ events: (Metrics.Event, Duration)...) -> [String] {
    var metrics = Metrics(labelledApps: [a])
    for (event, time) in events { metrics.note(event, at: at(time)) }
    return Exposition(metrics.families).lines
  }

  @Test(arguments: [
    (Metrics.Event.count(.presses, nil, "served"), #"onefix_presses_total{outcome="served"} 1"#),
    (.count(.holds, nil, nil), "onefix_holds_total 1"),
    (.count(.refusals, a, "denied"), #"onefix_refusals_total{app="a",reason="denied"} 1"#),
    (.count(.disclosures, a, "reduced"), #"onefix_disclosures_total{app="a",accuracy="reduced"} 1"#),
    (.count(.expiredPublications, a, nil), #"onefix_broker_expired_fixes_total{app="a"} 1"#),
    (.pressToFix(.seconds(3)), #"onefix_press_to_fix_seconds_bucket{le="5.0"} 1"#),
  ])
  func `each event has its counter`(event: Metrics.Event, line: String) {
    #expect(!text().contains(line))
    let lines = text((event, .zero))
    #expect(lines.contains(line), "\(lines.filter { !$0.hasPrefix("#") })")
  }

  @Test func `every outcome of a press has a counter from the beginning`() {
    let lines = text()
    for outcome in PressOutcome.allCases {
      #expect(lines.contains(#"onefix_presses_total{outcome="\#(outcome.rawValue)"} 0"#))
    }
  }

  @Test func `apps that are not configured share one label`() {
    let lines = text((.count(.disclosures, b, "full"), .zero), (.count(.refusals, b, "denied"), .zero))
    #expect(lines.contains(#"onefix_disclosures_total{app="(other)",accuracy="full"} 1"#))
    #expect(lines.contains(#"onefix_refusals_total{app="(other)",reason="denied"} 1"#))
  }

  @Test func `the time to the first fix counts once after each opening of the port`() {
    let count = "onefix_receiver_time_to_first_fix_seconds_count 1"
    #expect(!text((.firstFix, .zero)).contains(count))
    #expect(
      text((.receiverOpened, .zero), (.firstFix, .seconds(8)), (.firstFix, .seconds(9))).contains(count))
    #expect(
      text((.receiverOpened, .zero), (.firstFix, .seconds(8))).contains(
        #"onefix_receiver_time_to_first_fix_seconds_bucket{le="10.0"} 1"#))
    #expect(!text((.receiverOpened, .zero), (.receiverLost, .seconds(1)), (.firstFix, .seconds(8))).contains(count))
  }
}
