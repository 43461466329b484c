import Configuration
import Testing

@testable import Features

@Suite struct TimeFeatureTests {
  @Test(arguments: [("", Duration.zero), ("delay_ms = 0", .zero), ("delay_ms = 2000", .seconds(2))])
  func `a table has a socket and a delay`(key: String, delay: Duration) throws {
    let time: TimeFeature = try #require(try read("[time]\nchrony = \"/run/chrony.onefix.sock\"\n\(key)"))
    #expect(time.socket == "/run/chrony.onefix.sock" && time.delay == delay)
    #expect("\(time.location)" == "onefix.toml:2")
  }

  private static let invalid = """
    delay_ms = 5 → 1: [time] needs 'chrony'
    chrony = true → 2: 'chrony' in [time] must be a string, not true or false
    chrony = "/var/run/chrony.onefix.sock" → 2: 'chrony' in [time] is '/var/run/chrony.onefix.sock', but /var/run is a \
      link to /run (use '/run/chrony.onefix.sock')
    chrony = "/s" | delay_ms = 2001 → 3: 'delay_ms' in [time] is 2001, but must be 0...2000
    chrony = "/s" | delay_ms = -1 → 3: 'delay_ms' in [time] is -1, but must be 0...2000
    chrony = "/s" | delay = 0.1 → 3: unknown key 'delay' in [time] (known: chrony, delay_ms)
    """

  @Test(arguments: cases(invalid))
  func `an invalid table is refused with its line`(table: String, errors: [String]) {
    #expect(faults("[time]\n" + table) == errors)
  }

  @Test func `a path of the maximum length is accepted`() throws {
    let path = "/" + String(repeating: "s", count: 102)
    #expect(try read("[time]\nchrony = \"\(path)\"", as: TimeFeature.self)?.socket == path)
  }

  @Test func `only a receiver whose times arrive at once sets the clock`() throws {
    let feature: TimeFeature = try #require(try read("[time]\nchrony = \"/run/chrony.onefix.sock\""))
    let receivers = [("uart:/dev/ttyAMA0", true), ("i2c:/dev/i2c-1", true), ("gpsd", false), ("simulated", false)]
    for (receiver, isUsed) in receivers {
      #expect((feature.clockOutput(of: try ReceiverSpec(receiver), nil) != nil) == isUsed, "\(receiver)")
    }
  }
}
