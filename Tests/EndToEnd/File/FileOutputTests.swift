import Foundation
import Requirements
import Testing

/// Files that get one point for each press, read by other people's programs.
@Suite struct FileOutputTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func entry(_ format: String, app: String = "peer") -> String {
    "[[file]]\npath = \"\(folder.path("points.\(format)"))\"\napp = \"\(app)\"\nformat = \"\(format)\"\n"
  }

  private func content(_ format: String) -> String {
    (try? String(contentsOfFile: folder.path("points.\(format)"), encoding: .utf8)) ?? ""
  }

  /// Presses until the file has a number of points more.
  private func press(_ daemon: Daemon, _ points: ClosedRange<Int>, in format: String = "csv") async throws {
    for number in points {
      try await daemon.press(until: ["served", "granted"])
      let name = String(repeating: "0", count: 2) + "\(number),"
      _ = try await eventually("point \(number)") { content(format).contains("\n\(name)") ? true : nil }
    }
  }

  private static var hasReaders: Bool {
    ["/usr/bin/gpsbabel", "/usr/bin/ogrinfo"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  @Test(.needs("apt-get install gpsbabel gdal-bin", hasReaders))
  func `one press adds one point to each file of the app, and other programs read the points`() async throws {
    let daemon = try await Daemon.start(configuration: entry("gpx") + entry("geojson") + entry("csv"))
    // With a standing authorization, a press gives a fix at once.
    try await daemon.allow("peer")
    try await press(daemon, 1...3)
    let status = try await daemon.status()
    #expect(status["output-1"] == "file://\(folder.path("points.csv"))" && status["output-3-state"] == "connected")
    try await daemon.waits("0")
    try await daemon.stopChecked()
    let points = 3
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

  @Test func `the gateway starts without the folder of a file, and the doctor names the cause and the remedy`()
    async throws
  {
    let place = try folder.write("", to: "place")
    let daemon = try await Daemon.start(
      configuration: "[[file]]\npath = \"\(place)/points\"\napp = \"peer\"\nformat = \"csv\"\n")
    _ = try await eventually("the fault of the file") {
      try await daemon.status()["output-1-fault"] == "not-a-folder" ? true : nil
    }
    let doctor = try await daemon.onefix("doctor", "--config", daemon.folder.path("onefix.toml"))
    #expect(doctor.end == .exit(1))
    for beginning in [
      "✗ The output file://\(place)/points is not usable since ",
      "    Remedy: move that file away, or configure another path in 'path'.",
      "✗ The file \(place)/points: \(place) is a file and not a folder ",
      "    move that file away, or configure another 'path'",
    ] {
      #expect(doctor.output.contains { $0.hasPrefix(beginning) }, "\(beginning): \(doctor.output)")
    }
    try await daemon.stopChecked()
  }

  @Test func `a point waits while the folder is away, and is written once when it is back`() async throws {
    let daemon = try await Daemon.start(configuration: entry("csv"))
    try await daemon.allow("peer")
    try await press(daemon, 1...1)
    let away = folder.path + ".away"
    try FileManager.default.moveItem(atPath: folder.path, toPath: away)
    try await daemon.press(until: ["served", "granted"])
    _ = try await eventually("the fault of the file") {
      try await daemon.status()["output-1-fault"] == "no-folder" ? true : nil
    }
    #expect(try await daemon.status()["output-1-waiting"] == "1")
    #expect(try await daemon.stop().end == .exit(0))
    try FileManager.default.moveItem(atPath: away, toPath: folder.path)
    let again = try await Daemon.start(in: daemon.folder, configuration: entry("csv"))
    _ = try await eventually("the late point") { content("csv").split(separator: "\n").count == 3 ? true : nil }
    _ = try await eventually("an empty outbox") {
      try await again.status()["output-1-waiting"] == "0" ? true : nil
    }
    #expect(
      try await again.sqlite(
        """
        SELECT o.outcome FROM disclosure_log d JOIN disclosure_log o ON o.disclosure = d.sequence
        WHERE d.transport = 'file' ORDER BY d.sequence DESC LIMIT 2
        """) == ["acknowledged", "postponed"])
    try await again.stopChecked()
  }
}
