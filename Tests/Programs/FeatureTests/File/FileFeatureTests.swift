import Configuration
import Glibc
import LineProtocol
import TemporaryFiles
import Testing

@testable import Features

@Suite struct FileFeatureTests {
  private func told(_ table: String) -> [String] { faults(outputApps + "[[file]]\n" + table) }

  @Test func `a file has a path, an app, a format and permissions, and identifies its app`() throws {
    let text = """
      [[app]]
      id = "family"
      [[file]]
      path = "/srv/points.gpx"
      app = "family"
      format = "gpx"
      [[file]]
      path = "/srv/points.csv"
      app = "family"
      format = "csv"
      mode = "0640"
      """
    let found = try #require(try read(text, as: FileFeature.self)).outputs
    #expect(found.map(\.path) == ["/srv/points.gpx", "/srv/points.csv"])
    #expect(found.map(\.app.name) == ["family", "family"])
    #expect(found.map(\.format) == [.gpx, .csv])
    #expect(found.map(\.mode) == [0o600, 0o640])
    #expect(found.map { "\($0.location)" } == ["onefix.toml:4", "onefix.toml:8"])
  }

  private static let invalid = """
    → [[file]] needs 'path' & [[file]] needs 'app' & [[file]] needs 'format'
    path = "points.gpx" | app = "family" | format = "gpx" → must be a path that begins with /
    path = "/srv//p" | app = "family" | format = "gpx" → '/srv//p', but must be a path without '//', '.' and '..'
    path = "/srv/./p" | app = "family" | format = "gpx" → '/srv/./p', but must be a path without '//', '.' and '..'
    path = "/srv/../p" | app = "family" | format = "gpx" → '/srv/../p', but must be a path without '//', '.' and '..'
    path = "/srv/" | app = "family" | format = "gpx" → '/srv/', but must be the path of a file
    path = "/p.new" | app = "family" | format = "gpx" → ends with '.new'
    path = "/p" | app = "famly" | format = "gpx" → no [[app]] has the id 'famly'
    path = "/p" | app = "screen" | format = "gpx" → 'screen' is a display
    path = "/p" | app = "family" | format = "kml" → must be 'gpx', 'geojson' or 'csv'
    path = "/p" | app = "family" | format = "csv" | mode = "0777" → must be '0600', '0640'
    path = "/p" | app = "family" | format = "csv" | [[file]] | path = "/p" | app = "family" | format = "gpx" \
      → /p is configured twice (first in line 9)
    """

  @Test(arguments: cases(invalid))
  func `a wrong table is refused with its cause`(table: String, messages: [String]) {
    let found = told(table)
    #expect(found.count == messages.count, "\(found)")
    for (fault, message) in zip(found, messages) { #expect(fault.contains(message), "\(fault)") }
  }

  @Test func `a name of 251 bytes is accepted, and one of 252 is not`() {
    for (count, isGood) in [(251, true), (252, false)] {
      let table = "path = \"/srv/\(String(repeating: "é", count: 125))\(String(repeating: "a", count: count - 250))\""
      let found = told("\(table)\napp = \"family\"\nformat = \"gpx\"")
      #expect(found.isEmpty == isGood)
      #expect(found.allSatisfy { $0.contains("has a name of 252 bytes, but must have at most 251") }, "\(found)")
    }
  }

  private static func folder(owner: UInt32) -> DeviceFile {
    DeviceFile(path: "/srv/", kind: .other, owner: owner, mode: 0o755)
  }

  @Test(arguments: [(nil, false), (folder(owner: 0), false), (folder(owner: 990), true)])
  func `a folder that the daemon cannot write is an error`(
    folder: DeviceFile?, isGood: Bool
  ) throws {
    let table = "[[file]]\npath = \"/srv/p\"\napp = \"family\"\nformat = \"gpx\""
    let feature = try #require(try read(outputApps + table, as: FileFeature.self))
    let findings = feature.findings(about: try subject(), on: machine { $0.files["/srv/"] = folder })
    #expect(findings.map(\.code) == (isGood ? [] : ["file-folder"]) + ["each-press"])
  }

  @Test func `two tables that write one file through a link are an error`() throws {
    let root = try TemporaryDirectory()
    try root.write("", to: "srv/points/other")
    #expect(unsafe symlink("points", root.path("srv/link")) == 0)
    let tables = ["points/a", "link/a", "link/b"].map { name in
      "[[file]]\npath = \"/srv/\(name)\"\napp = \"family\"\nformat = \"gpx\"\n"
    }
    let subject = try subject(of: outputApps + tables.joined(), featureTypes)
    let machine = MachineReader(root: root.path, chips: { [] }).machine(for: subject, user: onefix)
    let findings = subject.findings(on: machine).filter { $0.code == "file-twice" }
    #expect(
      findings.map(\.message) == [
        "the file /srv/link/a is the same as /srv/points/a in another table, through a symbolic link"
      ])
  }

  @Test func `a missing folder and a file in place of the folder have different remedies`() throws {
    let root = try TemporaryDirectory()
    try root.write("", to: "srv/plain")
    let tables = ["missing", "plain"].map { name in
      "[[file]]\npath = \"/srv/\(name)/p\"\napp = \"family\"\nformat = \"gpx\"\n"
    }
    let subject = try subject(of: outputApps + tables.joined(), featureTypes)
    let machine = MachineReader(root: root.path, chips: { [] }).machine(for: subject, user: onefix)
    let findings = subject.findings(on: machine).filter { $0.code == "file-folder" }
    #expect(brief(findings) == ["error file-folder onefix.toml:9", "error file-folder onefix.toml:13"])
    #expect(
      findings.map(\.message) == [
        "the file /srv/missing/p: its folder does not exist",
        "the file /srv/plain/p: /srv/plain is a file and not a folder",
      ])
    let remedies = findings.compactMap(\.remedy)
    #expect(remedies.count == 2 && remedies[0].contains(" -m 2750 /srv/missing/, "))
    #expect(remedies.last == "move that file away, or configure another 'path'")
  }
}
