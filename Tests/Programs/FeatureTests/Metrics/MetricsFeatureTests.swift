import Configuration
import Testing

@testable import Features

@Suite struct MetricsFeatureTests {
  @Test func `without the table no metrics are written`() throws {
    #expect(try read("", as: MetricsFeature.self) == nil)
  }

  @Test(arguments: [
    ("[metrics]", "onefix.toml:1: error: [metrics] needs 'file'"),
    (
      "[metrics]\nfile = \"onefix.prom\"",
      "onefix.toml:2: error: 'file' in [metrics] is 'onefix.prom', but must be a path"
    ),
    (
      "[metrics]\nfile = \"/a\"\ninterval_s = 0",
      "onefix.toml:3: error: 'interval_s' in [metrics] is 0, but must be 1...3600"
    ),
    (
      "[metrics]\nfile = \"/a\"\ninterval_s = 1.5", "onefix.toml:3: error: 'interval_s' in [metrics] must be an integer"
    ),
  ])
  func `an invalid value is reported with its line`(text: String, fault: String) {
    let found = faults(text)
    #expect(found.count == 1 && found[0].hasPrefix(fault), "\(found)")
  }

  @Test func `the default interval of metrics is 15 seconds`() throws {
    let feature: MetricsFeature = try #require(try read("[metrics]\nfile = \"/run/a.prom\""))
    #expect(feature.file == "/run/a.prom" && feature.interval == .seconds(15))
    let other: MetricsFeature = try #require(try read("[metrics]\nfile = \"/run/a.prom\"\ninterval_s = 60"))
    #expect(other.interval == .seconds(60))
  }

  @Test func `metrics take effect at the next start`() throws {
    #expect(
      try configuration("").fixed.differences(from: try configuration("[metrics]\nfile = \"/a\"").fixed) == ["metrics"])
  }
}
