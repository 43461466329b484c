import Logging
import Telemetry
import Testing

@Suite struct LogLevelsTests {
  @Test(arguments: [
    ("debug", LogLevels(general: .debug)),
    ("receiver=debug", LogLevels(specific: [.receiver: .debug])),
    ("receiver=debug,notice", LogLevels(general: .notice, specific: [.receiver: .debug])),
    (
      "broker=error,server=trace,critical", LogLevels(general: .critical, specific: [.broker: .error, .server: .trace])
    ),
  ])
  func `levels are parsed`(text: String, levels: LogLevels) throws {
    #expect(try LogLevels(text) == levels)
  }

  @Test(arguments: [
    ("", LogLevelsError.Cause.level), ("loud", .level), ("receiver=", .level), ("receiver=loud", .level),
    ("debug,", .level), ("Debug", .level), ("radio=debug", .subsystem), ("=debug", .subsystem),
    ("debug,info", .twice), ("store=debug,store=debug", .twice), ("store=debug=info", .level),
  ])
  func `an invalid level is refused with the valid ones`(text: String, cause: LogLevelsError.Cause) {
    #expect {
      try LogLevels(text)
    } throws: {
      ($0 as? LogLevelsError)?.cause == cause
    }
  }

  @Test func `a subsystem without a level has the general one, by default notice`() throws {
    let levels = try LogLevels("receiver=debug,error")
    #expect(levels[.receiver] == .debug && levels[.store] == .error)
    #expect(Subsystem.allCases.allSatisfy { LogLevels()[$0] == .notice })
  }

  @Test(arguments: [
    ("debug", "receiver=error,warning", "debug"),
    ("receiver=debug", "receiver=error,store=info,warning", "receiver=debug,store=info,warning"),
    ("receiver=debug", "store=info", "receiver=debug,store=info"),
    ("receiver=debug,notice", "store=trace", "receiver=debug,notice"),
  ])
  func `levels override other levels`(text: String, other: String, both: String) throws {
    #expect(try LogLevels(text).overriding(LogLevels(other)) == LogLevels(both))
  }
}
