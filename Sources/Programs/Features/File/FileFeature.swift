import Configuration
import LineProtocol

/// The settings of the tables `[[file]]`: files to which the daemon adds one point at each press of the button.
struct FileFeature: ConfiguredFeature {
  /// One table `[[file]]` of onefix.toml. The output appends each fix of an app to a file.
  struct Output: Hashable {
    var path: String
    var app: AppID
    var format: PointFormat
    /// The permission bits of the file, as in `0o640`.
    var mode: UInt32
    var location: ConfigurationLocation
  }

  static let table = "file"
  static let identifiesApp = true

  /// The settings of each table, at least one. All paths are different.
  let outputs: [Output]

  var claims: [Claim] { outputs.map { Claim(file: $0.path, at: $0.location) } }

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
    let path = table.required("path", table.replacedFilePath)
    let name = table.required("app", table.string)
    let format = table.required("format") { table.choice($0, of: PointFormat.self) }
    mode = Self.mode(in: table) ?? 0o600
    guard let path, let name, let format, let app = known.output(named: name, to: "a file", in: table) else {
      return nil
    }
    self.path = path.value
    self.app = app
    self.format = format.value
    location = table.location(of: path)
  }

  /// Reads the permission bits from a text such as `0640`. The result is nil if the key is missing or the value is not
  /// permitted.
  private static func mode(in table: TOMLTable) -> UInt32? {
    table.parsed("mode", rule: "'0600', '0640', '0644', '0660' or '0664'") { text in
      ["0600", "0640", "0644", "0660", "0664"].contains(text) ? UInt32(text, radix: 8) : nil
    }?.value
  }
}

/// The format of a file with points. The file has a header, one text line for each point, and a footer.
enum PointFormat: String, Hashable, Sendable, CaseIterable {
  case gpx
  case geojson
  case csv
}
