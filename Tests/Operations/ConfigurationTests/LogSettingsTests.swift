import Logging
import OperatingSystem
import Testing

@testable import Configuration

@Suite struct LogSettingsTests {
  @Test func `there is a general level and one for each subsystem`() throws {
    #expect(try configuration("[log]\nlevel = \"warning\"").log == LogLevels(general: .warning))
    for subsystem in Subsystem.allCases {
      let levels = try configuration("[log]\n\(subsystem.rawValue) = \"debug\"").log
      #expect(levels == LogLevels(specific: [subsystem: .debug]))
    }
  }

  @Test func `an unknown level is refused with the levels`() {
    let found = faults("[log]\nlevel = \"loud\"")
    let start = "onefix.toml:2: error: 'level' in [log] is 'loud', but must be 'trace', "
    #expect(found.count == 1 && found[0].hasPrefix(start), "\(found)")
  }
}
