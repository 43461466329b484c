import Features
import Foundation
import LineProtocol
import Requirements
import Testing

private let hasJinja = FileManager.default.fileExists(
  atPath: "/usr/lib/python3/dist-packages/jinja2/__init__.py")

/// The device tracker of an app in three generations of Home Assistant, as `tracker.py` models them.
@Suite(.needs("apt-get install python3-jinja2", hasJinja))
struct TrackerTests {
  private static let base = "onefix/boat-7/home-assistant"
  private static let position = [#"\#(base)/fix={"lat":47.3769,"lon":8.5417,"hacc":5,"accuracy":"full"}"#]
  private static let sea = [#"\#(base)/fix={"lat":1,"lon":8,"hacc":5,"accuracy":"full"}"#]

  /// Returns the messages of a fix with the name of a place.
  private static func named(_ name: String) -> [String] {
    [
      #"\#(base)/fix={"time":"2026-11-21T07:30:00.000Z","place":"\#(name)","accuracy":"place"}"#,
      "\(base)/place=\(name)",
    ]
  }

  /// Returns the messages of a position that follows a name.
  private static func after(_ fix: [String]) -> [String] { ["\(base)/place=no place"] + fix }

  /// The messages, and the state, the zones and the sensor in each generation.
  static let cases: [(messages: [String], old: String, new: String, future: String)] = [
    (position, "home zone.home unknown", "home zone.home unknown", "home zone.home unknown"),
    (sea, "not_home - unknown", "not_home - unknown", "not_home - unknown"),
    (named("home"), "home zone.home home", "home zone.home home", "home zone.home home"),
    (named("harbour"), "harbour zone.harbour harbour", "harbour zone.harbour harbour", "Harbour zone.harbour harbour"),
    (named("Harbour"), "Harbour zone.harbour Harbour", "Harbour zone.harbour Harbour", "Harbour zone.harbour Harbour"),
    // A name without a zone.
    (named("quay.2"), "quay.2 - quay.2", "quay.2 - quay.2", "not_home - quay.2"),
    // The zone with the name Away is no place of the gateway.
    (named("away"), "not_home - away", "not_home - away", "not_home - away"),
    (position + named("away"), "not_home - away", "not_home - away", "not_home - away"),
    (named("home") + named("away"), "not_home - away", "not_home - away", "not_home - away"),
    (named("home") + after(sea), "not_home - unknown", "not_home - unknown", "not_home - unknown"),
    (named("quay") + after(position), "home zone.home unknown", "home zone.home unknown", "home zone.home unknown"),
  ]

  @Test(arguments: cases)
  func `the name of a place is a zone of Home Assistant, and the state of the sensor, in every generation`(
    messages: [String], old: String, new: String, future: String
  ) async throws {
    let topics = BridgeTopics(gateway: "boat-7", app: "home-assistant")
    let discovery = Discovery(topics, appName: "Home Assistant", accuracy: .full)
    let payload = try #require(discovery.messages.first { $0.isRetained }?.payload)
    let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("tracker.py").path
    for (generation, expected) in [("2024.12", old), ("2026.7", new), ("2027.1", future)] {
      let words = ["-B", model, generation, payload] + messages
      let result = try await Child("/usr/bin/python3", words).finish()
      #expect(result.output == [expected], "\(generation): \(result.errors)")
    }
  }
}
