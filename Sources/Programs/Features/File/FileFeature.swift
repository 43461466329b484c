import Authorization
import Configuration

/// The tables `[[file]]`: files that get one point for each press.
struct FileFeature: ConfiguredFeature {
  /// One `[[file]]`: a file, and the app whose fixes are its points.
  struct Output: Hashable {
    var path: String
    var app: AppID
    var format: PointFormat
    /// The permissions of the file, for example `0o640`.
    var mode: UInt32
    var location: ConfigurationLocation
  }

  static let table = "file"
  static let identifiesApp = true

  /// The files, at least one. Two tables have different files.
  let outputs: [Output]

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    let found = root.distinct(
      root.tables(Self.table).compactMap { Output(reading: $0, apps: configuration.apps) },
      by: { $0.path }, line: \.location.line, name: { $0.path })
    guard !found.isEmpty else { return nil }
    outputs = found
  }
}

extension FileFeature.Output {
  fileprivate init?(reading table: TOMLTable, apps known: [AppConfiguration]) {
    defer { table.finish() }
    let path = table.path("path")
    table.require("path")
    let name = table.string("app")
    table.require("app")
    let format = table.choice("format", of: PointFormat.self)
    table.require("format")
    mode = Self.mode(in: table) ?? 0o600
    guard let path, let name, let format, let app = known.output(named: name, to: "a file", in: table) else {
      return nil
    }
    self.path = path.value
    self.app = app
    self.format = format.value
    location = table.location(of: path)
  }

  /// Parses permissions in octal, as in `0640`. The owner can always read and write, and no user can execute the file.
  private static func mode(in table: TOMLTable) -> UInt32? {
    table.parsed("mode", rule: "'0600', '0640', '0644', '0660' or '0664'") { text in
      ["0600", "0640", "0644", "0660", "0664"].contains(text) ? UInt32(text, radix: 8) : nil
    }?.value
  }
}

/// The format of a file with one point for each press. A file has a header, the points in one line each, and a footer.
enum PointFormat: String, Hashable, Sendable, CaseIterable {
  case gpx
  case geojson
  case csv
}
