import Configuration
import Testing

@testable import Features
@testable import MachineChecks

private func gpsdSubject(receiver: String = "uart:/dev/serial0", isSimulated: Bool = false) throws -> Subject {
  let text = "allow_shared_receiver = true\n[[app]]\nid = \"navit\"\nuid = 1000\n[gpsd_server]\napps = [\"navit\"]\n"
  var subject = try subject(of: text, [GPSDFeature.self], receiver: receiver)
  subject.board.isSimulated = isSimulated
  return subject
}

private let gpsd = Machine.Process(pid: 42, name: "gpsd")

@Suite struct GPSDChecksTests {
  private func found(
    _ subject: Subject, _ change: (inout Machine) -> Void
  ) -> [String] {
    brief(subject.findings(on: machine(change))).filter { $0.contains(" gpsd-") }
  }

  private func address(_ holders: [Machine.Process]) -> Machine.ListeningAddress {
    var address = Machine.ListeningAddress()
    address.isInUse = true
    address.holders = holders
    return address
  }

  @Test func `the other loopback address is examined too`() throws {
    let found = try gpsdSubject().findings(
      on: machine { $0.listeningAddresses["[::1]:2947"] = address([Machine.Process(pid: 42, name: "impostor")]) })
    let finding = try #require(found.first { $0.code.rawValue == "gpsd-taken" })
    #expect(finding.severity == .error && finding.message.hasPrefix("another program listens on [::1]:2947: impostor"))
  }

  @Test func `a free address has no finding`() throws {
    #expect(found(try gpsdSubject()) { _ in }.isEmpty)
  }

  @Test(arguments: [[gpsd], [Machine.Process(pid: 1, name: "systemd")], []])
  func `an address in use is reported with a remedy`(holders: [Machine.Process]) throws {
    let subject = try gpsdSubject()
    let taken = machine {
      $0.listeningAddresses["127.0.0.1:2947"] = address(holders)
      $0.programs["gpsd"] = holders.filter { $0.name == "gpsd" }
    }
    let finding = try #require(subject.findings(on: taken).first { $0.code.rawValue == "gpsd-taken" })
    #expect(finding.severity == .error && "\(finding.location)" == "onefix.toml:5")
    #expect(holders.allSatisfy { finding.message.contains("\($0)") })
    #expect(finding.remedy?.contains("systemctl disable --now gpsd.socket") == true)
    #expect(!subject.findings(on: taken).contains { $0.code == .gpsdBeside }, "it is told of once")
  }

  @Test func `the running daemon is reported as a note`() throws {
    let found = found(try gpsdSubject()) {
      $0.listeningAddresses["127.0.0.1:2947"] = address([Machine.Process(pid: 7, name: "onefixd")])
    }
    #expect(found == ["note gpsd-held onefix.toml:5"])
  }

  @Test func `another gpsd discloses the location, which is also a warning at the start`() throws {
    let subject = try gpsdSubject()
    let beside = machine { $0.programs["gpsd"] = [gpsd] }
    #expect(found(subject) { $0.programs["gpsd"] = [gpsd] } == ["warning gpsd-beside onefix.toml:5"])
    #expect(subject.warnings(on: beside).map(\.code).contains(.gpsdBeside))
    #expect(subject.refusals(on: beside).isEmpty)
  }

  @Test func `the receiver's own gpsd is reported by the receiver check, and a simulated board has no finding`() throws
  {
    #expect(found(try gpsdSubject(receiver: "gpsd")) { $0.programs["gpsd"] = [gpsd] }.isEmpty)
    #expect(found(try gpsdSubject(isSimulated: true)) { $0.programs["gpsd"] = [gpsd] }.isEmpty)
  }
}
