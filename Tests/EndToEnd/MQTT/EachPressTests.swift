import Foundation
import Requirements
import Testing

/// An output at a real broker that gets a fix by each press, without a request on a topic.
@Suite(.needsMosquitto)
struct EachPressTests {
  @Test func `each press sends one fix, and without a press nothing is sent`() async throws {
    let topic = "onefix/boat/peer/fix"
    let broker = try await Mosquitto()
    let app = try await Subscriber(broker)
    try await Daemon.with(configuration: broker.settings("on_press = true")) { daemon in
      try await daemon.allow("peer")
      try await daemon.broker("state", "connected")
      try await app.settle()
      for count in 0..<2 {
        try await daemon.press(until: ["served", "granted"])
        _ = try await app.first(topic, after: count)
      }
      #expect(try await daemon.status()["each-press"] == "peer")
      try await app.settle()
      #expect(app.messages(topic).count == 2)
      #expect(Set(try app.messages(topic).map { try Fix($0.payload)["id"] }).count == 2)
    }
  }
}
