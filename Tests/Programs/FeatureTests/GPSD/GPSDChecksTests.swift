import Configuration
import Testing

@testable import Features

private func gpsdSubject(receiver: String = "uart:/dev/serial0", isSimulated: Bool = false) throws -> Subject {
  let text = "allow_shared_receiver = true\n[[app]]\nid = \"navit\"\nuid = 1000\n[gpsd_server]\napps = [\"navit\"]\n"
  var subject = try subject(of: text, [GPSDFeature.self], receiver: receiver)
  subject.board.isSimulated = isSimulated
  return subject
}

private let gpsd = Machine.Process(pid: 42, name: "gpsd")

@Suite struct GPSDChecksTests {
  private func found(_ subject: Subject, _ machine: Machine) -> [String] {
    brief(subject.findings(on: machine)).filter { $0.contains(" gpsd-") }
  }

  private let beside = machine { $0.programs["gpsd"] = [gpsd] }

  @Test(arguments: [("gpsd", false), ("gpsd:[::1]:2947", false), ("gpsd:boat", true), ("uart:/dev/serial0", true)])
  func `a gpsd that has the address is reported once, and the remedy does not switch off the gateway's receiver`(
    receiver: String, isGPSDSwitchedOff: Bool
  ) throws {
    var taken = beside
    taken.listeningAddresses["127.0.0.1:2947"] = Machine.ListeningAddress(isInUse: true, holders: [gpsd])
    let findings = try gpsdSubject(receiver: receiver).findings(on: taken).filter { $0.code.hasPrefix("gpsd-") }
    #expect(brief(findings) == ["error gpsd-taken onefix.toml:5"])
    let remedy = try #require(findings.first?.remedy)
    #expect(remedy.contains("systemctl disable --now gpsd.socket") == isGPSDSwitchedOff)
    #expect(remedy.hasSuffix("choose another 'port' or 'address' in [gpsd_server]"))
  }

  @Test func `another gpsd discloses the location, which is also a warning at the start`() throws {
    let subject = try gpsdSubject()
    #expect(found(subject, beside) == ["warning gpsd-beside onefix.toml:5"])
    #expect(subject.warnings(on: beside).map(\.code).contains("gpsd-beside"))
    #expect(subject.refusals(on: beside).isEmpty)
    // The check of the receiver reports the receiver's own gpsd.
    #expect(found(try gpsdSubject(receiver: "gpsd"), beside).isEmpty)
    #expect(!found(try gpsdSubject(receiver: "gpsd:boat"), beside).isEmpty)
    #expect(found(try gpsdSubject(isSimulated: true), beside).isEmpty)
  }
}
