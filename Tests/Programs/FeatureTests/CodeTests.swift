import Foundation
import Repository
import Testing

@Suite struct CodeTests {
  /// The texts of the Swift files in a folder of the repository.
  private func texts(in folder: String) throws -> [String] {
    let folder = "\(Repository.root)/\(folder)"
    return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
  }

  /// The tests of the findings name a code by its text, or by its constant.
  @Test func `a test names every code of a feature`() throws {
    let sources = try texts(in: "Sources/Programs/Features")
    var codes = sources.flatMap { text in
      text.matches(of: /static let ([A-Za-z0-9]+) = Self\("([a-z0-9-]+)"/).map { [".\($0.1)", String($0.2)] }
    }
    let listeners = sources.flatMap { $0.matches(of: /, role: "([a-z]+)"/).map { String($0.1) } }
    codes += listeners.flatMap { [["\($0)-taken"], ["\($0)-held"]] }
    let ports = sources.flatMap { $0.matches(of: /Codes\(role: "([a-z]+)"\)/).map { String($0.1) } }
    for fault in ["absent", "unsuitable", "kernel", "login", "bluetooth", "denied", "busy", "held"] {
      codes += ports.map { ["\($0)-\(fault)"] }
    }
    #expect(ports.count > 1 && listeners.count > 3 && codes.count > 30)
    let tests = try texts(in: "Tests/Programs/FeatureTests")
    for names in codes {
      #expect(tests.contains { text in names.contains { text.contains($0) } }, "\(names)")
    }
  }
}
