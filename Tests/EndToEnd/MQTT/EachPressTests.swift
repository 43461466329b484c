import Foundation
import Requirements
import Testing

/// An output at a real broker that gets a fix by each press, without a request on a topic.
@Suite(.needs("apt-get install mosquitto mosquitto-clients", Mosquitto.isInstalled))
struct EachPressTests {
  private func fixes(_ app: Subscriber) -> [Subscriber.Message] { app.messages("onefix/boat/peer/fix") }

  /// Waits until the app has received a number of fixes.
  private func receive(_ count: Int, _ app: Subscriber) async throws {
    _ = try await eventually("\(count) fixes") { fixes(app).count >= count ? true : nil }
  }

  @Test func `each press sends one fix, also after a restart of the daemon, and without a press nothing is sent`()
    async throws
  {
    let broker = try await Mosquitto()
    let app = try await Subscriber(broker, name: "app")
    let settings = broker.settings("on_press = true")
    let daemon = try await Daemon.start(configuration: settings)
    try await daemon.authorize("peer")
    try await daemon.broker("state", "connected")
    try await app.settle()
    // A second press for the authorization can serve the output.
    let start = fixes(app).count
    for count in 1...2 {
      try await daemon.press(until: ["served", "granted"])
      try await receive(start + count, app)
    }
    #expect(try await daemon.status()["each-press"] == "peer")
    #expect(try await daemon.stop().end == .exit(0))
    let again = try await Daemon.start(in: daemon.folder, configuration: settings)
    try await again.broker("state", "connected")
    try await again.press(until: ["served", "granted"])
    try await receive(start + 3, app)
    try await app.settle()
    #expect(fixes(app).count == start + 3)
    #expect(Set(try fixes(app).map { try Fix($0.payload)["id"] }).count == start + 3)
    #expect(try await again.stop().end == .exit(0))
  }

  @Test func `without the broker the fix of a press waits, arrives once, and the log says late`() async throws {
    let broker = try await Mosquitto()
    let app = try await Subscriber(broker, name: "app")
    try await Daemon.behind(broker, broker.settings("on_press = true")) { daemon in
      try await app.settle()
      let start = fixes(app).count
      try await broker.stop()
      try await daemon.broker("state", "disconnected")
      try await daemon.press(until: ["served", "granted"])
      _ = try await eventually("the fix to wait") { try await daemon.waiting() == "1" ? true : nil }
      _ = try await eventually("the light to go off") { try await daemon.status()["indicator"] == "off" ? true : nil }
      try await broker.start()
      try await daemon.broker("state", "connected")
      try await app.settle()
      try await receive(start + 1, app)
      try await daemon.broker("waiting", "0")
      #expect(fixes(app).count == start + 1)
      #expect(try await daemon.mqttLog().suffix(2) == ["postponed", "late acknowledged"])
    }
  }
}
