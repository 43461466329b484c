import Logging
import OperatingSystem
import Testing

@testable import Configuration

@Suite struct LogSettingsTests {
  @Test func `without a table, levels have defaults`() throws {
    #expect(try configuration("").log == LogLevels())
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
  ])
  func `an invalid value is reported with its line`(text: String, fault: String) {
    let found = faults(text)
    #expect(found.count == 1 && found[0].hasPrefix(fault), "\(found)")
  }

  @Test func `levels take effect on reload`() throws {
    let before = try configuration("")
    #expect(before.fixed.differences(from: try configuration("[log]\nlevel = \"debug\"").fixed).isEmpty)
  }
}
