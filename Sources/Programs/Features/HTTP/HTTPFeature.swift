import Configuration
import LineProtocol

/// The settings of the tables `[[http]]`: web servers that receive one fix at each press of the button.
struct HTTPFeature: ConfiguredFeature {
  /// The settings of one table `[[http]]`: the URL of a web server, and the app whose fixes the gateway sends there.
  struct Output: Hashable {
    var address: WebAddress
    var app: AppID
    var format: WebFormat
    var credentials: WebCredentials?
    /// The path of the PEM file with the trusted certificate authorities; nil to use `/etc/ssl/certs`.
    var ca: String?
    var location: ConfigurationLocation
    var lines: [String: Int]
  }

  static let table = "http"
  static let identifiesApp = true

  /// The settings of each table, at least one. Two tables differ in the server, the app or the format.
  let outputs: [Output]

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    let found = root.distinct(
      root.tables(Self.table).compactMap { Output(reading: $0, apps: configuration.apps) }, by: \.key,
      line: \.location.line, name: \.key)
    guard !found.isEmpty else { return nil }
    outputs = found
  }
}

/// The format of the HTTP request with a fix.
enum WebFormat: String, Hashable, Sendable, CaseIterable {
  /// The location message of the program OwnTracks in HTTP mode (OwnTracks Booklet, "HTTP").
  case owntracks
  /// The form parameters of the OsmAnd protocol, for the program Traccar (traccar.org/osmand).
  case osmand
  /// A JSON object as in OneFix's own protocol, with the identifier of the fix.
  case json
}

extension HTTPFeature.Output {
  fileprivate var key: String { "\(address.origin) for \(app.name) as \(format.rawValue)" }

  /// Returns the file and the text line of a configuration key; the text line of the URL if the key is missing.
  func location(of key: String) -> ConfigurationLocation {
    ConfigurationLocation(file: location.file, line: lines[key] ?? location.line)
  }

  /// The paths of the files in this table, for example of the password file. Each path has its configuration key.
  var files: [(key: String, path: String)] {
    let secret: (String, String)? =
      switch credentials {
      case .password(_, let file): ("password_file", file)
      case .bearer(let file): ("bearer_file", file)
      case nil: nil
      }
    return [secret, ca.map { ("ca", $0) }].compactMap(\.self)
  }

  fileprivate init?(reading table: TOMLTable, apps known: [AppConfiguration]) {
    defer { table.finish() }
    let url = table.required("url", table.string)
    let name = table.required("app", table.string)
    let format = table.required("format") { table.choice($0, of: WebFormat.self) }
    credentials = WebCredentials(reading: table)
    ca = table.path("ca")?.value
    let isPlain = table.boolean("plain")?.value ?? false
    guard let url, let address = Self.address(url, isPlain: isPlain, in: table) else { return nil }
    if ca != nil, !address.server.isEncrypted { table.reject("ca", "is valid only with 'https://'") }
    if format?.value == .osmand, address.hasQuery {
      table.reject("url", "must have no query with format 'osmand', because Traccar then ignores the fix")
    }
    guard let name, let format, let app = known.output(named: name, to: "a web server", in: table) else { return nil }
    self.address = address
    self.app = app
    self.format = format.value
    location = table.location(of: url)
    lines = table.lines
  }

  private static func address(_ url: Located<String>, isPlain: Bool, in table: TOMLTable) -> WebAddress? {
    guard let address = WebAddress(url.value) else {
      // The message does not repeat the text, which can contain a password.
      table.reject(
        "url",
        "must be as in 'https://maps.example.org/pub' or 'http://127.0.0.1:5055/', with at most "
          + "\(WebAddress.longest) characters of ASCII, without spaces and '#' (a user and a password have keys of their "
          + "own: 'user' and 'password_file')")
      return nil
    }
    guard address.server.isEncrypted || isPlain || address.server.isLoopback else {
      table.reject(
        "url",
        "is not a loopback address and uses no TLS, so others could read each fix (use 'https://', or 'plain = true' on "
          + "a trusted network)")
      return nil
    }
    return address
  }
}
