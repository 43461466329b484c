import Logging
import OperatingSystem
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
    ("", "'': the level must be one of trace, "), ("loud", "'loud': the level"),
    ("receiver=", "'receiver=': the level"),
    ("receiver=loud", "'receiver=loud': the level"), ("debug,", "'': the level"), ("Debug", "'Debug': the level"),
    ("radio=debug", "'radio=debug': the subsystem must be one of gateway, "), ("=debug", "'=debug': the subsystem"),
    ("debug,info", "'info': is set twice"), ("store=debug,store=debug", "'store=debug': is set twice"),
    ("store=debug=info", "'store=debug=info': the level"),
  ])
  func `an invalid level is refused with the valid ones`(text: String, message: String) throws {
    let error = try #require(throws: LogLevelsError.self) { try LogLevels(text) }
    #expect(error.description.hasPrefix(message))
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
