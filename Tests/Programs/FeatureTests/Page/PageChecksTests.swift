import Testing

@testable import Features
@testable import MachineChecks

@Suite struct PageChecksTests {
  private func findings(
    at host: String = "127.0.0.1", _ change: (inout Machine.ListeningAddress) -> Void
  ) throws -> [Finding] {
    let subject = try subject(of: "allow_shared_receiver = true\n[page]\nport = 8021\n", [PageFeature.self])
    let machine = machine { change(&$0.listeningAddresses["\(host):8021", default: Machine.ListeningAddress()]) }
    return subject.findings(on: machine).filter { $0.code.rawValue.hasPrefix("page-") }
  }

  @Test func `a free port has no finding`() throws {
    #expect(try findings { _ in }.isEmpty)
  }

  @Test(arguments: [[Machine.Process(pid: 42, name: "httpd")], []])
  func `a port in use is reported with a remedy`(holders: [Machine.Process]) throws {
    let found = try findings {
      $0.isInUse = true
      $0.holders = holders
    }
    #expect(found.count == 1)
    let finding = try #require(found.first)
    #expect(
      finding.code.rawValue == "page-taken" && finding.severity == .error && "\(finding.location)" == "onefix.toml:3")
    #expect(holders.allSatisfy { finding.message.contains("\($0)") })
    #expect(finding.remedy?.contains("'port' in [page]") == true && !finding.code.isConfiguration)
  }

  @Test(arguments: ["127.0.0.1", "[::1]"])
  func `both loopback addresses are examined`(host: String) throws {
    let found = try findings(at: host) { $0.isInUse = true }
    #expect(found.map(\.code.rawValue) == ["page-taken"] && found.first?.message.contains("\(host):8021") == true)
  }

  @Test func `the running daemon is reported as a note`() throws {
    let found = try findings {
      $0.isInUse = true
      $0.holders = [Machine.Process(pid: 7, name: "onefixd")]
    }
    #expect(brief(found) == ["note page-held onefix.toml:3"])
  }
}
