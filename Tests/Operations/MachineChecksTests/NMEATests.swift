import Configuration
import Testing

@testable import MachineChecks

@Suite struct NMEATests {
  private func findings(
    at address: String = "[::1]:10121", _ change: (inout Machine.ListeningAddress) -> Void
  ) throws -> [Finding] {
    let text = """
      [[app]]
      id = "plotter"
      uid = 1000
      [[nmea]]
      app = "plotter"
      address = "[::1]:10121"
      [[nmea]]
      app = "plotter"
      socket = "/run/onefix/nmea.sock"
      """
    var configuration = try GatewayConfiguration(parsing: Array(text.utf8), file: "onefix.toml")
    configuration.allowsSharedReceiver = true
    let subject = Subject(board: try board(), configuration)
    let machine = machine { change(&$0.listeningAddresses[address, default: Machine.ListeningAddress()]) }
    return subject.findings(on: machine).filter { $0.code.rawValue.hasPrefix("nmea-") }
  }

  @Test func `a free address has no finding`() throws {
    #expect(try findings { _ in }.isEmpty)
  }

  @Test(arguments: [[Machine.Process(pid: 42, name: "signalk")], []])
  func `an address in use is reported with a remedy`(holders: [Machine.Process]) throws {
    let found = try findings {
      $0.isInUse = true
      $0.holders = holders
    }
    #expect(brief(found) == ["error nmea-taken onefix.toml:6"])
    let finding = try #require(found.first)
    #expect(finding.message.hasPrefix("another program listens on [::1]:10121"))
    #expect(holders.allSatisfy { finding.message.contains("\($0)") })
    #expect(finding.remedy?.contains("'address' or 'socket' in [[nmea]]") == true && !finding.code.isConfiguration)
  }

  @Test func `a socket in use is reported with a remedy`() throws {
    let found = try findings(at: "/run/onefix/nmea.sock") { $0.isInUse = true }
    #expect(brief(found) == ["error nmea-taken onefix.toml:9"])
    #expect(found.first?.remedy?.contains("'socket' in [[nmea]]") == true)
  }

  @Test func `the running daemon is reported as a note`() throws {
    let found = try findings {
      $0.isInUse = true
      $0.holders = [Machine.Process(pid: 7, name: "onefixd")]
    }
    #expect(brief(found) == ["note nmea-held onefix.toml:6"])
  }
}
