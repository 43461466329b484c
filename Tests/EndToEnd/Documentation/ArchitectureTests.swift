import Foundation
import Testing

/// The page for contributors compared with the manifest.
@Suite struct ArchitectureTests {
  /// A target in the page or in the manifest.
  private struct Target: Hashable {
    var room: String
    var name: String
  }

  /// The layers, from the lowest.
  private static let layers = ["C", "pure", "adapter", "client", "composition"]

  /// Returns a section of the page, with its heading.
  private func section(_ name: String) throws -> Substring {
    let page = try Page.named("Documentation/architecture.md")
    return try #require(page.text.split(separator: "\n## ").first { $0.hasPrefix("\(name)\n") })
  }

  /// Returns the targets of the page, each with its layer.
  private func described() throws -> [Target: Int] {
    var found: [Target: Int] = [:]
    for text in try section("Rooms").split(separator: "\n### ").dropFirst() {
      let room = String(text.prefix { $0 != "\n" })
      for row in text.matches(of: /(?m)^\| `([^`]+)` \| ([^ ]+) \|/) {
        let layer = try #require(Self.layers.firstIndex(of: String(row.2)), "\(row.1) has no layer")
        let target = Target(room: room, name: String(row.1))
        #expect(found.updateValue(layer, forKey: target) == nil, "\(row.1) is described twice")
      }
    }
    return found
  }

  /// Returns the targets under `Sources`, each with its dependencies.
  private func declared() throws -> [Target: [String]] {
    var found: [Target: [String]] = [:]
    for room in try Page.text(of: "Package.swift").split(separator: "\n  room(\n    \"Sources/").dropFirst() {
      let name = String(room.prefix { $0 != "\"" })
      let text = room.prefix(upTo: room.firstRange(of: "\n\n")?.lowerBound ?? room.endIndex)
      for declaration in text.split(separator: /\n    \.(?=[a-zA-Z]+\()/).dropFirst() {
        let target = try #require(declaration.firstMatch(of: /name: "([^"]+)"/))
        let list = declaration.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
        found[Target(room: name, name: String(target.1))] = list.matches(of: /"([^"]+)"/).map { String($0.1) }
      }
    }
    return found
  }

  @Test func `the page for contributors names every target in its room, and no other target`() throws {
    let (described, declared) = (Set(try described().keys), Set(try declared().keys))
    #expect(described.subtracting(declared) == [], "these are no targets")
    #expect(declared.subtracting(described) == [], "the page does not know these")
  }

  @Test func `dependencies point only to lower layers or stay within their layer`() throws {
    let layers = Dictionary(uniqueKeysWithValues: try described().map { ($0.name, $1) })
    for (target, dependencies) in try declared() {
      let layer = try #require(layers[target.name])
      for dependency in dependencies {
        let below = try #require(layers[dependency], "\(target.name) depends on \(dependency)")
        #expect(below <= layer, "\(target.name) depends on \(dependency), which is above it")
        let isPureOnC = Self.layers[layer] == "pure" && Self.layers[below] == "C"
        let isPermitted = !isPureOnC || ["COpenSSL", "CResources"].contains(dependency)
        #expect(isPermitted, "\(target.name) is pure, and depends on \(dependency)")
      }
    }
  }

  @Test func `each room and each target has a folder, and no other folder is among them`() throws {
    let targets = Dictionary(grouping: try declared().keys, by: \.room)
    #expect(targets.values.joined().count > 20)
    #expect(try entries("Sources") == Set(targets.keys).union(["Documentation"]))
    for (room, targets) in targets {
      #expect(try entries("Sources/\(room)").subtracting(["README.md"]) == Set(targets.map(\.name)), "\(room)")
    }
  }

  @Test func `the tests have the rooms of the sources, and the folders that the page names`() throws {
    let page = try Page.named("Documentation/architecture.md").text
    let others = page.matches(of: /(?m)^\| `Tests\/([A-Za-z]+)` \|/).map { String($0.1) }
    #expect(others.count > 3)
    let rooms = Set(try declared().keys.map(\.room)).subtracting(["C"])
    #expect(try entries("Tests") == rooms.union(others))
  }

  private func entries(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: "\(Page.root)/\(folder)"))
  }

  // MARK: The core and its edges

  /// The names of the modules that a Swift file imports.
  private func imports(_ file: String) throws -> Set<String> {
    let imports = try Page.text(of: file).matches(of: /(?m)^(?:@[a-z]+ )?(?:[a-z]+ )?import ([A-Za-z0-9]+)/)
    return Set(imports.map { String($0.1) })
  }

  /// The Swift files of a target, by their paths from the root.
  private func files(of target: Target) -> [String] { Page.files(in: "Sources/\(target.room)/\(target.name)") }

  private func files(of name: String) throws -> [String] {
    let files = files(of: try #require(try declared().keys.first { $0.name == name }))
    #expect(!files.isEmpty)
    return files
  }

  /// Expects that a target neither depends on the excluded modules nor imports one in a file.
  private func expect(_ name: String, isWithout excluded: [String]) throws {
    let dependencies = try #require(try declared().first { $0.key.name == name }?.value)
    #expect(Set(dependencies).isDisjoint(with: excluded), "\(name) depends on \(dependencies)")
    for file in try files(of: name) { #expect(try imports(file).isDisjoint(with: excluded), "\(file)") }
  }

  /// A target and all that it depends on.
  private func tree(of root: String) throws -> Set<Target> {
    let declared = try declared()
    let targets = Dictionary(uniqueKeysWithValues: declared.keys.map { ($0.name, $0) })
    var found: Set<Target> = []
    var waiting = [root]
    while let name = waiting.popLast() {
      guard let target = targets[name], found.insert(target).inserted else { continue }
      waiting += declared[target] ?? []
    }
    return found
  }

  @Test func `the core knows no position and no server`() throws {
    try expect("Gateway", isWithout: ["GNSS", "Estimation", "Cloaking", "Serving", "Features"])
  }

  @Test func `only the daemon imports the features, and no feature imports a target with positions`() throws {
    for target in try declared().keys where target.name != "onefixd" {
      for file in files(of: target) { #expect(try !imports(file).contains("Features"), "\(file)") }
    }
    try expect("Features", isWithout: ["GNSS", "Estimation", "Cloaking", "Disclosure", "StateStore"])
  }

  /// The target `Decoding` has the setup of receivers, which the core and the time feature need, and the decoders too.
  @Test func `the core and the features name no decoder and no decoded position`() throws {
    let decoded =
      #/
      \b(?:coordinate|Nav[A-Z]+|Epoch|Sentence|SentenceReader|EpochDecoder|NMEADecoder|ReceiverDecoder|UBXEpochAssembler)\b
      /#
    for file in try files(of: "Gateway") + files(of: "Features") {
      for line in try Page.text(of: file).split(separator: "\n") where !line.contains(/^ *\/\//) {
        #expect(!line.contains(decoded), "\(file): \(line)")
      }
    }
    #expect("  let decoder = ReceiverDecoder()".contains(decoded))
  }

  @Test func `outside the folder of a feature, only the list of features names it`() throws {
    let types = try files(of: "Features").flatMap { file in
      try Page.text(of: file).matches(of: /struct ([A-Za-z]+): ConfiguredFeature/).map {
        (name: String($0.1), file: file)
      }
    }
    #expect(types.count > 2)
    let sources = try declared().keys.flatMap { files(of: $0) }
    for (name, file) in types {
      let folder = file.prefix { $0 != "." }.split(separator: "/").dropLast().joined(separator: "/") + "/"
      let others = try sources.filter { try !$0.hasPrefix(folder) && Page.text(of: $0).contains("\(name).") }
      #expect(others == ["Sources/Programs/Features/FeatureList.swift"], "\(name)")
    }
  }

  @Test func `no interface and no client of an owner reaches a receiver, a right, the gate or the state`() throws {
    let targets = try declared().keys
    let excluded = targets.filter { ["Receiver", "Consent"].contains($0.room) }
    #expect(Set(excluded.map(\.name)).isSuperset(of: ["Estimation", "Authorization", "Disclosure", "StateStore"]))
    let interfaces = targets.filter { ["Interfaces", "Owner"].contains($0.room) }
    #expect(interfaces.count > 5)
    for interface in interfaces {
      let reached = try tree(of: interface.name).intersection(excluded)
      #expect(reached == [], "\(interface.name)")
      for file in files(of: interface) {
        #expect(try imports(file).isDisjoint(with: excluded.map(\.name)), "\(file)")
      }
    }
  }

  @Test func `in the daemon only the gate uses the cloak, and one file makes it at the start`() throws {
    let targets = try tree(of: "onefixd")
    #expect(targets.contains { $0.name == "Disclosure" })
    let users = try targets.filter { $0.name != "Cloaking" }.flatMap { target in
      try files(of: target).filter { try imports($0).contains("Cloaking") }
    }
    #expect(users.contains { $0.hasPrefix("Sources/Consent/Disclosure/") })
    let others = users.filter { !$0.hasPrefix("Sources/Consent/Disclosure/") }
    #expect(others.count == 1 && others[0].hasPrefix("Sources/Programs/onefixd/"), "\(others)")
  }

  @Test func `only the gate can read the position of a sealed fix`() throws {
    let files = try files(of: "Disclosure")
    #expect(files.contains { $0.hasSuffix("/SealedFix.swift") })
    let located = /\b(?:Fix|FixReport|Coordinate|Satellite|ReceiverSky|ReducedFix|Output|FilterState|Prediction)\b/
    for file in files {
      // If other targets could see a position, its type would be in a visible declaration.
      let visible = /(?m)^ *(?:@[a-zA-Z]+ )*(?:package|public) (?!import).*$/
      for line in try Page.text(of: file).matches(of: visible).map({ String($0.0) }) {
        #expect(!line.contains(located) || line == Self.sky, "\(file): \(line)")
      }
    }
    // The compiler hides internal declarations from other targets, except from files with `@testable`.
    for target in try declared().keys {
      for file in self.files(of: target) {
        #expect(try !Page.text(of: file).contains("@testable"), "\(file)")
      }
    }
  }

  /// The one exception: the satellites in view, which reveal the approximate position. Only owners see them.
  private static let sky = "  package var sky: ReceiverSky { pipeline.sky }"

  @Test func `only the code for owners reads the satellites in view`() throws {
    let readers = try files(of: "Gateway").filter { try Page.text(of: $0).contains("receiver.sky") }
    let names = Set(readers.map { String($0.split(separator: "/").last ?? "") })
    #expect(names == ["Router+Owners.swift", "Router+Status.swift"])
  }

  @Test func `every source file and every stage that the page for contributors names exists`() throws {
    let walks = try section("The path of the data")
    let named = Set(walks.matches(of: /`([A-Za-z+]+\.swift)`/).map { String($0.1) })
    #expect(named.count > 15)
    let sources = Dictionary(grouping: try declared().keys.flatMap { files(of: $0) }) {
      String($0.split(separator: "/").last ?? "")
    }
    #expect(named.subtracting(sources.keys) == [])
    for stage in walks.matches(of: /`([A-Za-z+]+\.swift)`, `([a-z][A-Za-z]*)`/) {
      let texts = try (sources[String(stage.1)] ?? []).map { try Page.text(of: $0) }
      #expect(texts.contains { $0.contains("func \(stage.2)(") }, "\(stage.0)")
    }
  }

  @Test func `every file and folder of the repository that a page names exists`() {
    var count = 0
    for page in Page.all where page.path.hasSuffix(".md") {
      for path in page.text.matches(of: /`((?:Sources|Tests|Scripts|Boards)\/[A-Za-z0-9_.\/-]*)[ `]/).map({ $0.1 }) {
        #expect(FileManager.default.fileExists(atPath: "\(Page.root)/\(path)"), "\(page.path): \(path)")
        count += 1
      }
    }
    #expect(count > 40)
  }

  @Test func `every target, suite and file of tests that a page names exists`() throws {
    let names = /[A-Z][A-Za-z]*Tests(?![A-Za-z])/
    var known = Set(try Page.text(of: "Package.swift").matches(of: names).map { String($0.0) })
    for file in Page.files(in: "Tests") {
      known.formUnion(file.dropLast(".swift".count).split(separator: "/").map(String.init))
      for line in try Page.text(of: file).split(separator: "\n") where line.hasSuffix("Tests {") {
        known.formUnion(line.split(separator: " ").suffix(2).map(String.init))
      }
    }
    var count = 0
    for page in Page.all {
      for name in page.text.matches(of: names).map({ String($0.0) }) {
        #expect(known.contains(name), "\(page.path): \(name)")
        count += 1
      }
    }
    #expect(count > 40)
  }
}
