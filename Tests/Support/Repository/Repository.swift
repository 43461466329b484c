import FoundationEssentials

/// The repository that contains the running tests.
package enum Repository {
  /// The path of the root, without a slash at the end.
  package static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

  /// The paths of recorded logs that are stored outside the repository; empty without them.
  package static let recordedLogs: [String] = {
    var folder = URL(filePath: root)
    for _ in 0..<4 {
      folder = folder.deletingLastPathComponent()
      let logs = [
        "shared/data/nagoya/rover.nmea", "shared/data/google_f9k/MTV.Local1.ublox-F9K.20200206-181434.nmea",
      ].map { folder.appending(path: $0).path(percentEncoded: false) }
        .filter { FileManager.default.fileExists(atPath: $0) }
      if !logs.isEmpty { return logs }
    }
    return []
  }()
}
