import Foundation
import Testing

/// The page for contributors compared with the manifest.
@Suite struct ArchitectureTests {
  /// A target in the page or in the manifest.
  private struct Place: Hashable {
    var room: String
    var target: String
  }

  /// The layers, from the lowest.
  private static let layers = ["pure", "C", "adapter", "client", "composition"]

  /// Returns the targets of the page, each with its layer.
  private func described() throws -> [Place: Int] {
    let page = try #require(Page.all.first { $0.path.hasSuffix("Documentation/architecture.md") })
    let rooms = try #require(page.text.split(separator: "\n## ").first { $0.hasPrefix("Rooms\n") })
    var found: [Place: Int] = [:]
    for text in rooms.split(separator: "\n### ").dropFirst() {
      let room = String(text.prefix { $0 != "\n" })
      for row in text.matches(of: /(?m)^\| `([^`]+)` \| ([^ ]+) \|/) {
        let layer = try #require(Self.layers.firstIndex(of: String(row.2)), "\(row.1) has no layer")
        let place = Place(room: room, target: String(row.1))
        #expect(found.updateValue(layer, forKey: place) == nil, "\(row.1) is described twice")
      }
    }
    return found
  }

  /// Returns the targets under `Sources`, each with its dependencies.
  private func declared() throws -> [Place: [String]] {
    let manifest = try String(contentsOfFile: "\(Page.root)/Package.swift", encoding: .utf8)
    var found: [Place: [String]] = [:]
    for room in manifest.split(separator: "\n  room(\n    \"Sources/").dropFirst() {
      let name = String(room.prefix { $0 != "\"" })
      let text = room.prefix(upTo: room.firstRange(of: "\n\n")?.lowerBound ?? room.endIndex)
      for declaration in text.split(separator: /\n    \.(?=[a-zA-Z]+\()/).dropFirst() {
        let target = try #require(declaration.firstMatch(of: /name: "([^"]+)"/))
        let list = declaration.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 ?? ""
        found[Place(room: name, target: String(target.1))] = list.matches(of: /"([^"]+)"/).map { String($0.1) }
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
    let layers = Dictionary(uniqueKeysWithValues: try described().map { ($0.target, $1) })
    for (place, dependencies) in try declared() {
      let layer = try #require(layers[place.target])
      for dependency in dependencies {
        let below = try #require(layers[dependency], "\(place.target) depends on \(dependency)")
        #expect(below <= layer, "\(place.target) depends on \(dependency), which is above it")
      }
    }
  }

  @Test func `there are at most ten rooms and 48 targets, each with a folder`() throws {
    let places = Set(try declared().keys)
    #expect((40...48).contains(places.count))
    #expect(Set(places.map(\.room)).count <= 10)
    let folders = try FileManager.default.contentsOfDirectory(atPath: "\(Page.root)/Sources")
    #expect(Set(folders) == Set(places.map(\.room)).union(["Documentation"]))
    for room in Set(places.map(\.room)) {
      let targets = try FileManager.default.contentsOfDirectory(atPath: "\(Page.root)/Sources/\(room)")
      #expect(Set(targets) == Set(places.filter { $0.room == room }.map(\.target)), "\(room)")
    }
  }

  // MARK: The core and its edges

  /// The names of the modules that a Swift file imports.
  private func imports(_ path: String) throws -> Set<String> {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return Set(text.matches(of: /(?m)^(?:@[a-z]+ )?(?:[a-z]+ )?import ([A-Za-z0-9]+)/).map { String($0.1) })
  }

  /// The Swift files of a target, by their paths from the root.
  private func files(of place: Place) -> [String] {
    let folder = "Sources/\(place.room)/\(place.target)"
    let found = FileManager.default.enumerator(atPath: "\(Page.root)/\(folder)")?.allObjects as? [String] ?? []
    return found.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
  }

  /// A target and all that it depends on.
  private func tree(of root: String) throws -> Set<Place> {
    let declared = try declared()
    let targets = Dictionary(uniqueKeysWithValues: declared.keys.map { ($0.target, $0) })
    var found: Set<Place> = []
    var waiting = [root]
    while let name = waiting.popLast() {
      guard let place = targets[name], found.insert(place).inserted else { continue }
      waiting += declared[place] ?? []
    }
    return found
  }

  @Test(arguments: [
    (
      "Gateway",
      [
        "GNSS", "NMEA", "UBX", "Estimation", "Cloaking", "Regions", "LineServer", "Connections", "MQTTBridge",
        "GPSDServer",
      ]
    ),
    ("MQTTBridge", ["LineServer"]), ("GPSDServer", ["LineServer"]),
  ])
  func `the core knows no position and no server, and no interface knows another`(target: String, excluded: [String])
    throws
  {
    let (place, dependencies) = try #require(try declared().first { $0.key.target == target })
    #expect(Set(dependencies).isDisjoint(with: excluded), "\(target) depends on \(dependencies)")
    let files = files(of: place)
    #expect(!files.isEmpty)
    for file in files {
      #expect(try imports("\(Page.root)/\(file)").isDisjoint(with: excluded), "\(file)")
    }
  }

  @Test func `in the daemon only the gate uses the cloak, and one file makes it at the start`() throws {
    let places = try tree(of: "onefixd")
    #expect(places.contains { $0.target == "Disclosure" })
    let users = try places.filter { $0.target != "Cloaking" }.flatMap { place in
      try files(of: place).filter { try imports("\(Page.root)/\($0)").contains("Cloaking") }
    }
    #expect(users.contains { $0.hasPrefix("Sources/Consent/Disclosure/") })
    let others = users.filter { !$0.hasPrefix("Sources/Consent/Disclosure/") }
    #expect(others.count == 1 && others[0].hasPrefix("Sources/Programs/onefixd/"), "\(others)")
  }

  @Test func `only the gate can read the position of a sealed fix`() throws {
    let gate = try #require(try declared().keys.first { $0.target == "Disclosure" })
    let files = files(of: gate)
    #expect(files.contains { $0.hasSuffix("/SealedFix.swift") })
    for file in files {
      let text = try String(contentsOfFile: "\(Page.root)/\(file)", encoding: .utf8)
      // A position that other targets see would be the type of something that they see.
      for line in text.matches(of: /(?m)^ *(?:@[a-zA-Z]+ )*(?:package|public) (?!import).*$/).map({ String($0.0) }) {
        let isSealed = !line.contains(/\b(?:Fix|FixReport|Coordinate|Satellite|ReceiverSky|ReducedFix|Output)\b/)
        #expect(isSealed || line == Self.sky, "\(file): \(line)")
      }
    }
    // The compiler keeps what is internal inside of its target, but for files that test it.
    for place in try declared().keys {
      for file in self.files(of: place) {
        #expect(try !String(contentsOfFile: "\(Page.root)/\(file)", encoding: .utf8).contains("@testable"), "\(file)")
      }
    }
  }

  /// The one exception: the satellites in view, which reveal the approximate position. Only owners see them.
  private static let sky = "  package var sky: ReceiverSky { pipeline.sky }"

  @Test func `only the code for owners reads the satellites in view`() throws {
    let gateway = try #require(try declared().keys.first { $0.target == "Gateway" })
    let readers = try files(of: gateway).filter {
      try String(contentsOfFile: "\(Page.root)/\($0)", encoding: .utf8).contains("receiver.sky")
    }
    let names = Set(readers.map { String($0.split(separator: "/").last ?? "") })
    #expect(names == ["Router+Owners.swift", "Router+Status.swift"])
  }

  @Test func `every source file that the page for contributors names exists`() throws {
    let page = try #require(Page.all.first { $0.path.hasSuffix("Documentation/architecture.md") })
    let walks = try #require(page.text.split(separator: "\n## ").first { $0.hasPrefix("The path of the data\n") })
    let named = Set(walks.matches(of: /`([A-Za-z+]+\.swift)`/).map { String($0.1) })
    #expect(named.count > 15)
    let sources = try declared().keys.flatMap { files(of: $0) }.map { String($0.split(separator: "/").last ?? "") }
    #expect(named.subtracting(sources) == [])
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
}
