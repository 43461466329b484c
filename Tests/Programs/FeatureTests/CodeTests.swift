import Foundation
import MachineChecks
import Repository
import SampleMachine
import Testing

@testable import Features

@Suite struct CodeTests {
  @Test func `every code of a feature is used`() throws {
    var codes: Set<FindingCode> = []
    for fault in consoleFaults {
      codes.formUnion(try subject(console: console()).findings(on: machineWithConsole(fault.0)).map(\.code))
    }
    for fault in listenFaults {
      codes.formUnion(try listenSubject().findings(on: machineWithListener(fault.0)).map(\.code))
    }
    for fault in brokerFaults {
      codes.formUnion(try brokerSubject().findings(on: machineWithBroker(fault.0)).map(\.code))
    }
    for fault in serialFaults {
      codes.formUnion(try subject(serial: ["/dev/ttyGS0"]).findings(on: machineWithPorts(fault.0)).map(\.code))
    }
    // The codes of the other test files.
    codes.formUnion([.listenTaken, .listenHeld, .gpsdTaken, .gpsdHeld, .gpsdBeside, .nmeaTaken, .nmeaHeld])
    codes.formUnion([.pageTaken, .pageHeld, .timeReceiver, .timeReduced, .timeAbsent, .timeDenied, .timeOpen])
    codes.formUnion([.metricsClosed, .metricsOpen])
    let folder = "\(Repository.root)/Sources/Programs/Features"
    let sources = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
    let texts = try sources.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
    let declared = texts.flatMap {
      $0.matches(of: /static let [A-Za-z0-9]+ = Self\("([a-z0-9-]+)"/).map { String($0.1) }
    }
    let roles = texts.flatMap { $0.matches(of: /Codes\(role: "([a-z]+)"\)/).map { String($0.1) } }
    let faults = ["absent", "unsuitable", "kernel", "login", "bluetooth", "denied", "busy", "held"]
    let ofPorts = roles.flatMap { role in faults.map { "\(role)-\($0)" } }
    #expect(roles.count == 2 && declared.count > 15)
    #expect(codes.map(\.rawValue).sorted() == (declared + ofPorts).sorted())
  }
}
