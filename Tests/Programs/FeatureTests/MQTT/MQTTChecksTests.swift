import Testing

@testable import Features

@Suite struct MQTTChecksTests {
  @Test func `an output that gets a fix by each press has a note that names the buttons`() throws {
    let text = """
      [[mqtt]]
      broker = "mqtt://127.0.0.1"
      app = "ferry"
      on_press = true
      [[app]]
      id = "ferry"
      """
    let found = try subject(of: text, [MQTTFeature.self]).findings(on: machine()).filter { $0.code == "each-press" }
    #expect(brief(found) == ["note each-press onefix.toml:4"])
    #expect(
      found.map(\.message) == [
        "each press of button main sends the location to the broker 127.0.0.1:1883 for the app ferry, unless another app waits"
      ])
  }
}
