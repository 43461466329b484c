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
    let codes = sources.flatMap { text in
      text.matches(of: /Fault\(\s*"([a-z-]+)"/).map { String($0.1) }
        + text.matches(of: /FileFaults\("([a-z-]+)", open: "([a-z-]+)"/).flatMap { [String($0.1), String($0.2)] }
    }
    // `PortChecksTests` and `ListenerChecksTests` have the codes of each of these roles.
    let roles = sources.flatMap { $0.matches(of: /, role: "([a-z]+)"/).map { String($0.1) } }
    #expect(Set(roles) == ["console", "gpsd", "listen", "nmea", "page", "serial"] && codes.count > 30)
    let tests = try ["FeatureTests", "MachineChecksTests"].flatMap { try texts(in: "Tests/Programs/\($0)") }
    for code in codes { #expect(tests.contains { $0.contains(code) }, "\(code)") }
  }
}
