import Foundation
import Requirements
import Testing

/// Files that get one point for each press, read by other people's programs.
@Suite struct FileOutputTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func entry(_ format: String) -> String {
    "[[file]]\npath = \"\(folder.path("points.\(format)"))\"\napp = \"peer\"\nformat = \"\(format)\"\n"
  }

  private static var hasReaders: Bool {
    ["/usr/bin/gpsbabel", "/usr/bin/ogrinfo"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  @Test(.needs("apt-get install gpsbabel gdal-bin", hasReaders))
  func `one press adds one point to each file of the app, and other programs read the points`() async throws {
    let daemon = try await Daemon.start(configuration: entry("gpx") + entry("geojson") + entry("csv"))
    // With a standing authorization, a press gives a fix at once.
    try await daemon.allow("peer")
    let points = 3
    for number in 1...points {
      try await daemon.press(until: ["served", "granted"])
      _ = try await eventually("point \(number)") {
        let table = try? String(contentsOfFile: folder.path("points.csv"), encoding: .utf8)
        return table?.contains("\n00\(number),") == true ? true : nil
      }
    }
    let status = try await daemon.status()
    #expect(status["output-1"] == "file://\(folder.path("points.csv"))" && status["output-3-state"] == "connected")
    try await daemon.waits("0")
    try await daemon.stopChecked()
    for (format, layer) in [("gpx", "waypoints"), ("geojson", "points"), ("csv", "points")] {
      let read = try await Child("ogrinfo", ["-al", "-so", folder.path("points.\(format)"), layer]).finish()
      #expect(read.output.contains("Feature Count: \(points)"), "\(format): \(read)")
    }
    let table = folder.path("gpsbabel.csv")
    let words = ["-w", "-i", "gpx", "-f", folder.path("points.gpx"), "-o", "unicsv", "-F", table]
    #expect(try await Child("gpsbabel", words).finish().end == .exit(0))
    let rows = try String(contentsOfFile: table, encoding: .utf8).split(whereSeparator: \.isNewline)
    #expect(rows.count == points + 1)
    // Each file has its own entry in the log.
    let outcomes = try await daemon.sqlite(
      "SELECT count(*) FROM disclosure_log WHERE transport = 'file' AND app = 'peer'")
    #expect(outcomes == ["\(3 * points)"])
  }
}
