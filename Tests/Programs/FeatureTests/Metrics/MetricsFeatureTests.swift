import Configuration
import Testing

@testable import Features

@Suite struct MetricsFeatureTests {
  static let invalid = """
    [metrics] → 1: [metrics] needs 'file'
    [metrics] | file = "/a.new" → 2: 'file' in [metrics] ends with '.new', as the temporary files of the daemon do
    [metrics] | file = "/a" | interval_s = 0 → 3: 'interval_s' in [metrics] is 0, but must be 1...3600
    [metrics] | file = "/a" | interval_s = 1.5 → 3: 'interval_s' in [metrics] must be an integer
    """

  @Test func `the default interval of metrics is 15 seconds`() throws {
    for (key, interval) in [("", Duration.seconds(15)), ("interval_s = 60", .seconds(60))] {
      let feature: MetricsFeature = try #require(try read("[metrics] | file = \"/run/a.prom\" | \(key)"))
      #expect(feature.file == "/run/a.prom" && feature.interval == interval)
    }
  }
}
