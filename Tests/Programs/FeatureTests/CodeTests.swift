import Configuration
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

  @Test func `without its table, a feature is not configured`() throws {
    #expect(try configuration("[[app]]\nid = \"ferry\"\nkey = true").features.isEmpty)
  }

  @Test func `a test names every code of a feature`() throws {
    let sources = try texts(in: "Sources/Programs/Features")
    var codes = sources.flatMap { text in
      text.matches(of: /Fault\(\s*"([a-z-]+)"/).map { String($0.1) }
        + text.matches(of: /FileFaults\("([a-z-]+)", open: "([a-z-]+)"/).flatMap { [String($0.1), String($0.2)] }
    }
    let listeners = sources.flatMap { $0.matches(of: /, role: "([a-z]+)"/).map { String($0.1) } }
    codes += listeners.flatMap { ["\($0)-taken", "\($0)-held"] }
    let ports = sources.flatMap { $0.matches(of: /role: "([a-z]+)", name:/).map { String($0.1) } }
    for fault in ["absent", "unsuitable", "kernel", "login", "bluetooth", "denied", "busy", "held", "taken"] {
      codes += ports.map { "\($0)-\(fault)" }
    }
    #expect(ports.count > 1 && listeners.count > 3 && codes.count > 30)
    let tests = try ["FeatureTests", "MachineChecksTests"].flatMap { try texts(in: "Tests/Programs/\($0)") }
    for code in codes { #expect(tests.contains { $0.contains(code) }, "\(code)") }
  }
}
