import Testing

@testable import Features
@testable import MachineChecks

@Suite struct NMEAChecksTests {
  private func findings(
    at address: String = "[::1]:10121", _ change: (inout Machine.ListeningAddress) -> Void
  ) throws -> [Finding] {
    let text = """
      allow_shared_receiver = true
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
    let subject = try subject(of: text, [NMEAFeature.self])
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
    #expect(brief(found) == ["error nmea-taken onefix.toml:7"])
    let finding = try #require(found.first)
    #expect(finding.message.hasPrefix("another program listens on [::1]:10121"))
    #expect(holders.allSatisfy { finding.message.contains("\($0)") })
    #expect(finding.remedy?.contains("'address' or 'socket' in [[nmea]]") == true && !finding.code.isConfiguration)
  }

  @Test func `a socket in use is reported with a remedy`() throws {
    let found = try findings(at: "/run/onefix/nmea.sock") { $0.isInUse = true }
    #expect(brief(found) == ["error nmea-taken onefix.toml:10"])
    #expect(found.first?.remedy?.contains("'socket' in [[nmea]]") == true)
  }

  @Test func `the running daemon is reported as a note`() throws {
    let found = try findings {
      $0.isInUse = true
      $0.holders = [Machine.Process(pid: 7, name: "onefixd")]
    }
    #expect(brief(found) == ["note nmea-held onefix.toml:7"])
  }
}
