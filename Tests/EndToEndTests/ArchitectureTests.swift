import Foundation
import Testing

/// The page for contributors, beside the manifest.
@Suite struct ArchitectureTests {
  /// The layers of the page from below: each target with its layer.
  private func described() throws -> [String: Int] {
    let page = try #require(Page.all.first { $0.path.hasSuffix("Documentation/architecture.md") })
    let layers = page.text.split(separator: "\n## ")[2].split(separator: "\n### ").dropFirst()
    #expect(layers.count == 5)
    var found: [String: Int] = [:]
    for (layer, text) in layers.enumerated() {
      for row in text.matches(of: /(?m)^\| `([^`]+)` \|/) {
        #expect(found.updateValue(layer, forKey: String(row.1)) == nil, "\(row.1) is described twice")
      }
    }
    return found
  }

  /// The targets under `Sources`, each with the targets that it depends on.
  private func declared() throws -> [String: [String]] {
    let manifest = try String(contentsOfFile: "\(Page.root)/Package.swift", encoding: .utf8)
    let targets = try #require(manifest.range(of: "\n  targets: ["))
    var found: [String: [String]] = [:]
    let declarations = manifest[targets.upperBound...].split(separator: /\n    \.(?=[a-zA-Z]+\()/)
    for declaration in declarations {
      if declaration.hasPrefix("testTarget") || declaration.contains("path: \"Tests/") { continue }
      guard let name = declaration.firstMatch(of: /name: "([^"]+)"/) else { continue }
      let list = declaration.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
      found[String(name.1)] = list.matches(of: /"([^"]+)"/).map { String($0.1) }
    }
    return found
  }

  @Test func `the page for contributors names every target, and none that there is not`() throws {
    let (described, declared) = (Set(try described().keys), Set(try declared().keys))
    #expect(declared.count > 40)
    #expect(described.subtracting(declared).sorted() == [], "these are no targets")
    #expect(declared.subtracting(described).sorted() == [], "the page does not know these")
  }

  @Test func `arrows only point down, or stay within their layer`() throws {
    let layers = try described()
    for (name, dependencies) in try declared() {
      let layer = try #require(layers[name])
      for dependency in dependencies {
        let below = try #require(layers[dependency], "\(name) depends on \(dependency)")
        #expect(below <= layer, "\(name) depends on \(dependency), which is above it")
      }
    }
  }
}
