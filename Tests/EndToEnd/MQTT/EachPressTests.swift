import Foundation
import Requirements
import Testing

/// An output at a real broker that gets a fix by each press, without a request on a topic.
@Suite(.needsMosquitto)
struct EachPressTests {
  @Test func `each press sends one fix, also after a restart of the daemon, and without a press nothing is sent`()
    async throws
  {
    let topic = "onefix/boat/peer/fix"
    let broker = try await Mosquitto()
    let app = try await Subscriber(broker, name: "app")
    let settings = broker.settings("on_press = true")
    let daemon = try await Daemon.start(configuration: settings)
    try await daemon.allow("peer")
    try await daemon.broker("state", "connected")
    try await app.settle()
    for count in 0..<2 {
      try await daemon.press(until: ["served", "granted"])
      _ = try await app.first(topic, after: count)
    }
    #expect(try await daemon.status()["each-press"] == "peer")
    #expect(try await daemon.stop().end == .exit(0))
    let again = try await Daemon.start(in: daemon.folder, configuration: settings)
    try await again.broker("state", "connected")
    try await again.press(until: ["served", "granted"])
    _ = try await app.first(topic, after: 2)
    try await app.settle()
    #expect(app.messages(topic).count == 3)
    #expect(Set(try app.messages(topic).map { try Fix($0.payload)["id"] }).count == 3)
    #expect(try await again.stop().end == .exit(0))
  }
}
