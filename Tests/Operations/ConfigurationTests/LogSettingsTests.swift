import Logging
import Telemetry
import Testing

@testable import Configuration

@Suite struct LogSettingsTests {
  @Test func `without the tables, levels have defaults and no metrics are written`() throws {
    #expect(try configuration("").log == LogLevels())
    #expect(try configuration("").metrics == nil)
  }

  @Test func `there is a general level and one for each subsystem`() throws {
    #expect(try configuration("[log]\nlevel = \"warning\"").log == LogLevels(general: .warning))
    for subsystem in Subsystem.allCases {
      let levels = try configuration("[log]\n\(subsystem.rawValue) = \"debug\"").log
      #expect(levels == LogLevels(specific: [subsystem: .debug]))
    }
  }

  @Test(arguments: [
    ("[log]\nlevel = \"loud\"", "onefix.toml:2: error: 'level' in [log] is 'loud', but must be 'trace', "),
    ("[log]\nreciever = \"debug\"", "onefix.toml:2: error: unknown key 'reciever' in [log] (did you mean 'receiver'?)"),
    ("[log]\nstore = 3", "onefix.toml:2: error: 'store' in [log] must be a string, not an integer"),
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
    let settings = try #require(try configuration("[metrics]\nfile = \"/run/a.prom\"").metrics)
    #expect(settings.file == "/run/a.prom" && settings.interval == .seconds(15))
    let other = try #require(try configuration("[metrics]\nfile = \"/run/a.prom\"\ninterval_s = 60").metrics)
    #expect(other.interval == .seconds(60))
  }

  @Test func `levels take effect on reload, metrics at the next start`() throws {
    let before = try configuration("")
    #expect(before.fixed.differences(from: try configuration("[log]\nlevel = \"debug\"").fixed).isEmpty)
    #expect(before.fixed.differences(from: try configuration("[metrics]\nfile = \"/a\"").fixed) == ["metrics"])
  }
}
