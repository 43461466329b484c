import Configuration
import Features
import Foundation
import Repository
import Testing

@testable import onefixd

/// The errors of a configuration, one line for each.
private func faults(_ text: String) -> [String] {
  do throws(ConfigurationError) {
    _ = try GatewayConfiguration(
      parsing: [UInt8](text.utf8), file: "onefix.toml", features: featureTypes, uid: { _ in nil })
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

/// The manual page of the configuration file.
@Suite struct ManualPageTests {
  /// The keys under each heading of onefix.toml(5).
  private static func documented() throws -> [String: Set<String>] {
    let page = "\(Repository.root)/Sources/Documentation/man/onefix.toml.5"
    var found: [String: Set<String>] = [:]
    var table = ""
    for line in try String(contentsOfFile: page, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix(".Ss ") { table = String(line.dropFirst(4)) }
      guard line.hasPrefix(".It Ic ") else { continue }
      let keys = line.dropFirst(7).split(separator: " ").map(String.init).filter { $0 != "," }
      found[table, default: []].formUnion(keys)
    }
    return found
  }

  /// Returns texts with the table of a heading, which get an unknown key. The error message lists the known keys.
  private static func texts(of heading: String) -> [String] {
    switch heading {
    case "The file": [""]
    case "[button.label]": ["[[button]]\nname = \"main\"\n[button.label]"]
    case "[[listen]]": [heading, heading + "\nsocket = \"/s\""]
    default: [heading]
    }
  }

  private static let mark = " (known: "

  @Test func `the manual page lists every key in its table, and no others`() throws {
    let documented = try Self.documented()
    var listed: [String: Set<String>] = [:]
    for (table, text) in documented.keys.flatMap({ table in Self.texts(of: table).map { (table, $0) } }) {
      let found = faults(text + "\nzzzzzzzzzzzzzzzzzzzz = 1\n")
      let fault = try #require(
        found.first { $0.contains("zzzzzzzzzzzzzzzzzzzz") && $0.contains(Self.mark) }, "\(found)")
      let start = try #require(fault.range(of: Self.mark))
      let known = fault[start.upperBound...].dropLast().split(separator: ", ").map(String.init)
      listed[table, default: []].formUnion(known)
    }
    for (table, known) in listed { #expect(documented[table] == known, "\(table)") }
  }

  @Test func `the manual page has a section for every table`() throws {
    let documented = try Self.documented()
    let nested = Set(documented.keys).map { $0.filter { !"[]".contains($0) } }
    let others = ["app", "receiver", "button", "indicator", "realtime", "log"]
    for key in featureTypes.map({ $0.table }) + others {
      #expect(documented["The file"]?.contains(key) == true && nested.contains(key))
    }
  }
}
