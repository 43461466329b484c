import Configuration
import Glibc
import LineProtocol
import TemporaryFiles
import Testing

@testable import Features

@Suite struct FileFeatureTests {
  private func told(_ table: String) -> [String] { faults(outputApps + "[[file]]\n" + table) }

  @Test func `a file has a path, an app, a format and permissions, and identifies its app`() throws {
    let text = #"""
      [[app]] | id = "family" | [[file]] | path = "/srv/points.gpx" | app = "family" | format = "gpx" | [[file]] \#
      | path = "/srv/points.csv" | app = "family" | format = "csv" | mode = "0640"
      """#
    let found = try #require(try read(text, as: FileFeature.self)).outputs
    #expect(
      found.map { "\($0.path) \($0.app.name) \($0.format) \($0.mode) \($0.location)" } == [
        "/srv/points.gpx family gpx 384 onefix.toml:4", "/srv/points.csv family csv 416 onefix.toml:8",
      ])
  }

  static let invalid = """
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

  @Test func `a name of 251 bytes is accepted, and one of 252 is not`() {
    for (count, isGood) in [(251, true), (252, false)] {
      let table = "path = \"/srv/\(String(repeating: "é", count: 125))\(String(repeating: "a", count: count - 250))\""
      let found = told("\(table)\napp = \"family\"\nformat = \"gpx\"")
      #expect(found.isEmpty == isGood)
      #expect(found.allSatisfy { $0.contains("has a name of 252 bytes, but must have at most 251") }, "\(found)")
    }
  }

  private static let format = "\"\napp = \"family\"\nformat = \"gpx\"\n"

  @Test(arguments: [(0, false), (990, true)] as [(UInt32, Bool)])
  func `a folder that the daemon cannot write is an error`(owner: UInt32, isGood: Bool) throws {
    let feature = try #require(try read("\(outputApps)[[file]]\npath = \"/srv/p\(Self.format)", as: FileFeature.self))
    let machine = machine { $0.files["/srv/"] = DeviceFile(path: "/srv/", kind: .other, owner: owner, mode: 0o755) }
    let findings = feature.findings(about: try subject(), on: machine)
    #expect(findings.map(\.code) == (isGood ? [] : ["file-folder"]) + ["each-press"])
  }

  @Test func `a missing folder, a file in place of the folder, and a link to the file of another table are errors`()
    throws
  {
    let root = try TemporaryDirectory()
    for name in ["plain", "points/other"] { try root.write("", to: "srv/\(name)") }
    #expect(unsafe symlink("points", root.path("srv/link")) == 0)
    let tables = ["missing/p", "plain/p", "points/a", "link/a", "link/b"].map { name in
      "[[file]]\npath = \"/srv/\(name)\(Self.format)"
    }
    let subject = try subject(of: outputApps + tables.joined(), featureTypes)
    let machine = MachineReader(root: root.path, chips: { [] }).machine(for: subject, user: onefix)
    // The user of the test owns the folders, and not the user of the daemon.
    let findings = subject.findings(on: machine).filter {
      $0.code.hasPrefix("file-") && !$0.message.hasSuffix("cannot write to its folder")
    }
    #expect(
      findings.map { "\($0.code) \($0.location) \($0.message)" } == [
        "file-folder onefix.toml:9 the file /srv/missing/p: its folder does not exist",
        "file-folder onefix.toml:13 the file /srv/plain/p: /srv/plain is a file and not a folder",
        "file-twice onefix.toml:21 the file /srv/link/a is the same as /srv/points/a in another table, through a "
          + "symbolic link",
      ])
    #expect(findings.map(\.severity) == [.error, .error, .error])
    #expect(findings.first?.remedy?.contains(" -m 2750 /srv/missing/, ") == true)
    #expect(findings.dropFirst().first?.remedy == "move that file away, or configure another 'path'")
  }
}
