import Configuration
import Testing

@testable import Metrics

@Suite struct MetricsFeatureTests {
  /// The feature that a configuration describes, and the settings that take effect only at the next start.
  private func read(_ text: String) throws(ConfigurationError) -> (feature: MetricsFeature?, fixed: FixedSettings) {
    var feature: MetricsFeature?
    let configuration = try GatewayConfiguration(
      parsing: [UInt8](text.utf8), file: "onefix.toml", readFeatures: { feature = MetricsFeature(reading: $0) })
    return (feature, configuration.fixed)
  }

  @Test func `without the table no metrics are written`() throws { #expect(try read("").feature == nil) }

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
    do throws(ConfigurationError) {
      _ = try read(text)
      Issue.record("the table is valid")
    } catch {
      let found = error.diagnostics.map(\.description)
      #expect(found.count == 1 && found[0].hasPrefix(fault), "\(found)")
    }
  }

  @Test func `the default interval of metrics is 15 seconds`() throws {
    let feature = try #require(try read("[metrics]\nfile = \"/run/a.prom\"").feature)
    #expect(feature.file == "/run/a.prom" && feature.interval == .seconds(15))
    let other = try #require(try read("[metrics]\nfile = \"/run/a.prom\"\ninterval_s = 60").feature)
    #expect(other.interval == .seconds(60))
  }

  @Test func `metrics take effect at the next start`() throws {
    #expect(try read("").fixed.differences(from: try read("[metrics]\nfile = \"/a\"").fixed) == ["metrics"])
  }
}
