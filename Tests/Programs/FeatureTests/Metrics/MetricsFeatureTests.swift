import Configuration
import Testing

@testable import Features

@Suite struct MetricsFeatureTests {
  private static let invalid = """
    [metrics] → 1: [metrics] needs 'file'
    [metrics] | file = "/a.new" → 2: 'file' in [metrics] ends with '.new', as the temporary files of the daemon do
    [metrics] | file = "/a" | interval_s = 0 → 3: 'interval_s' in [metrics] is 0, but must be 1...3600
    [metrics] | file = "/a" | interval_s = 1.5 → 3: 'interval_s' in [metrics] must be an integer
    """

  @Test(arguments: cases(invalid))
  func `an invalid value is reported with its line`(text: String, errors: [String]) {
    let found = faults(text)
    #expect(found.count == 1 && found[0].hasPrefix(errors[0]), "\(found)")
  }

  @Test func `the default interval of metrics is 15 seconds`() throws {
    let feature: MetricsFeature = try #require(try read("[metrics]\nfile = \"/run/a.prom\""))
    #expect(feature.file == "/run/a.prom" && feature.interval == .seconds(15))
    let other: MetricsFeature = try #require(try read("[metrics]\nfile = \"/run/a.prom\"\ninterval_s = 60"))
    #expect(other.interval == .seconds(60))
  }
}
