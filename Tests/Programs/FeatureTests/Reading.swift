import Configuration

@testable import Features

/// Parses a configuration with the tables of all features, on a system whose only user is skipper, 1000.
/// In the text, ` | ` is the end of a line.
func configuration(_ text: String) throws(ConfigurationError) -> GatewayConfiguration {
  let lines = [UInt8](text.replacing(" | ", with: "\n").utf8)
  return try GatewayConfiguration(parsing: lines, file: "onefix.toml", features: featureTypes) {
    $0 == "skipper" ? 1000 : nil
  }
}

/// Returns a feature that a configuration describes; nil without its table.
func read<Tables: ConfiguredFeature>(
  _ text: String, as type: Tables.Type = Tables.self
) throws(ConfigurationError) -> Tables? {
  try configuration(text).feature()
}

/// Nine lines with the apps of listeners: with a user, with a unit, and with neither.
let socketApps =
  "[[app]]\nid = \"plotter\"\nuid = \"skipper\"\n[[app]]\nid = \"kiosk\"\nunit = \"kiosk.service\"\n"
  + "[[app]]\nid = \"remote\"\nkey = true\n"

/// Seven lines with the apps of outputs: an app, and a display, which no output can serve.
let outputApps =
  "[[app]]\nid = \"family\"\nkey = true\n[[app]]\nid = \"screen\"\nkey = true\nsurface = \"display\"\n"
