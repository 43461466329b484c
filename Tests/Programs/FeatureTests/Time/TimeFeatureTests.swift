import Configuration
import Testing

@testable import Features

@Suite struct TimeFeatureTests {
  @Test func `a table has a delay, and a socket whose path has at most 103 bytes`() throws {
    let longest = "/" + String(repeating: "s", count: 102)
    for (key, delay) in [("", Duration.zero), ("delay_ms = 0", .zero), ("delay_ms = 2000", .seconds(2))] {
      let time: TimeFeature = try #require(try read("[time] | chrony = \"\(longest)\" | \(key)"))
      #expect(time.socket == longest && time.delay == delay && "\(time.location)" == "onefix.toml:2")
    }
    #expect(faults("[time] | chrony = \"\(longest)s\"").count == 1)
  }

  static let invalid = """
    delay_ms = 5 → 1: [time] needs 'chrony'
    chrony = true → 2: 'chrony' in [time] must be a string, not true or false
    chrony = "/var/run/chrony.onefix.sock" → 2: 'chrony' in [time] is '/var/run/chrony.onefix.sock', but /var/run is a \
      link to /run (use '/run/chrony.onefix.sock')
    chrony = "/s" | delay_ms = 2001 → 3: 'delay_ms' in [time] is 2001, but must be 0...2000
    chrony = "/s" | delay_ms = -1 → 3: 'delay_ms' in [time] is -1, but must be 0...2000
    chrony = "/s" | delay = 0.1 → 3: unknown key 'delay' in [time] (known: chrony, delay_ms)
    """

  @Test func `only a receiver whose times arrive at once sets the clock`() throws {
    let feature: TimeFeature = try #require(try read("[time]\nchrony = \"/run/chrony.onefix.sock\""))
    let receivers = [("uart:/dev/ttyAMA0", true), ("i2c:/dev/i2c-1", true), ("gpsd", false), ("simulated", false)]
    for (receiver, isUsed) in receivers {
      #expect((feature.clockOutput(of: try ReceiverSpec(receiver), nil) != nil) == isUsed, "\(receiver)")
    }
  }
}
