import Authorization
import Configuration

/// The tables `[[http]]`: web servers that get one fix for each press.
struct HTTPFeature: ConfiguredFeature {
  /// One `[[http]]`: an address of the web, and the app whose fixes the server at this address gets.
  struct Output: Hashable {
    var address: WebAddress
    var app: AppID
    var format: WebFormat
    var credentials: WebCredentials?
    /// The PEM file of the certificate authorities; nil for the authorities of this machine (`/etc/ssl/certs`).
    var ca: String?
    var location: ConfigurationLocation
    var lines: [String: Int]
  }

  static let table = "http"
  static let identifiesApp = true

  /// The outputs, at least one. Two outputs differ in the server, the app or the format.
  let outputs: [Output]

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    let found = root.distinct(
      root.tables(Self.table).compactMap { Output(reading: $0, apps: configuration.apps) }, by: \.key,
      line: \.location.line, name: \.key)
    guard !found.isEmpty else { return nil }
    outputs = found
  }
}

/// The format in which a web server gets its fixes.
enum WebFormat: String, Hashable, Sendable, CaseIterable {
  /// The message of a location of OwnTracks in HTTP mode. (OwnTracks Booklet, "HTTP")
  case owntracks
  /// The parameters of Traccar's protocol OsmAnd. (traccar.org/osmand)
  case osmand
  /// The fix as a JSON object of the line protocol, with its id.
  case json
}

extension HTTPFeature.Output {
  fileprivate var key: String { "\(address.origin) for \(app.name) as \(format.rawValue)" }

  /// Returns the location of a key in the file. If the key is missing, returns the location of the address.
  func location(of key: String) -> ConfigurationLocation {
    ConfigurationLocation(file: location.file, line: lines[key] ?? location.line)
  }

  /// The paths of the configured files, with their configuration keys.
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
    let url = table.string("url")
    table.require("url")
    let name = table.string("app")
    table.require("app")
    let format = table.choice("format", of: WebFormat.self)
    table.require("format")
    credentials = WebCredentials(reading: table)
    ca = table.path("ca")?.value
    let isPlain = table.boolean("plain")?.value ?? false
    guard let url, let address = Self.address(url, isPlain: isPlain, in: table) else { return nil }
    if ca != nil, !address.server.isEncrypted {
      table.diagnostics.report(table.node("ca")?.line, "\(table.title("ca")) is valid only with 'https://'")
    }
    if format?.value == .osmand, address.hasQuery {
      table.reject("url", url, "must have no query with format 'osmand', because Traccar then ignores the fix")
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
        "url", url,
        "must be as in 'https://maps.example.org/pub' or 'http://127.0.0.1:5055/', without spaces and '#' (a user and a "
          + "password have keys of their own: 'user' and 'password_file')")
      return nil
    }
    guard address.server.isEncrypted || isPlain || address.server.isLoopback else {
      table.reject(
        "url", url,
        "is not a loopback address and uses no TLS, so others could read each fix (use 'https://', or 'plain = true' on "
          + "a trusted network)")
      return nil
    }
    return address
  }
}
