import Authorization
import ControlledBoard
import Hardware
import LineProtocol
import OneFixClient
import OperatingSystem
import RecordingClients
import Requirements
import Testing

@testable import Gateway

extension Gateway {
  /// Returns the lines of one metric.
  fileprivate func lines(of metric: String) -> [String] {
    metrics().lines.filter { $0.hasPrefix("onefix_\(metric){") || $0.hasPrefix("onefix_\(metric) ") }
  }
}

@Test(.patient)
func `an indicator that users cannot see well prevents every disclosure, and the metrics name the reason`() async throws
{
  try await Bench(confirmed(), profile: IndicatorProfile(brightness: 0.19)).run { bench in
    await bench.receiver.send(second: 1)
    let asking = await Asking(try await bench.client("parks"))
    await bench.pressInTime()
    #expect(await asking.nextNews() == .unauthorized("indicator-too-dim"))
    #expect(await bench.log.isEmpty)
    asking.outcome.cancel()
    let lines = await bench.gateway.lines(of: "indicator_restriction")
    #expect(lines.count == LegibilityProblem.allCases.count)
    #expect(
      lines.filter { !$0.hasSuffix(" 0") } == [#"onefix_indicator_restriction{restriction="indicator-too-dim"} 1"#])
  }
}

@Test(.patient)
func `the metrics show the present state of the gateway`() async throws {
  let ghost = try #require(AppID("ghost"))
  let policy = Policy {
    $0.authorization.newAppAccuracy = [parks: .full, ghost: .full]
    $0.appsWithoutUser = [ghost]
  }
  try await Bench([record(.always)], policy: policy).run { bench, app, owner in
    func lines(_ metrics: String...) async -> [String] {
      var lines: [String] = []
      for metric in metrics { lines += await bench.gateway.lines(of: metric) }
      return lines
    }
    try await app.reply(to: "START updates")
    #expect(
      await lines("sessions", "owner_connections", "updates_running", "button_good", "locked", "app_on") == [
        "onefix_sessions 1", "onefix_owner_connections 1", "onefix_updates_running 1",
        #"onefix_button_good{button="main"} 1"#, "onefix_locked 0", #"onefix_app_on{app="ghost"} 0"#,
        #"onefix_app_on{app="parks"} 1"#,
      ])
    let states = await lines("receiver_state")
    #expect(states.count { $0.hasSuffix(" 1") } == 1 && states.count { $0.hasSuffix(" 0") } == 4, "\(states)")
    try await owner.reply(to: "LOCK")
    #expect(await lines("locked", "updates_running") == ["onefix_locked 1", "onefix_updates_running 0"])
  }
}
