import Configuration

@testable import Features

/// Parses a configuration with the tables of all features, on a system whose only user is skipper, 1000.
func configuration(_ text: String) throws(ConfigurationError) -> GatewayConfiguration {
  try GatewayConfiguration(parsing: [UInt8](text.utf8), file: "onefix.toml", features: featureTypes) {
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
let socketApps = """
  [[app]]
  id = "plotter"
  uid = "skipper"
  [[app]]
  id = "kiosk"
  unit = "kiosk.service"
  [[app]]
  id = "remote"
  key = true

  """

/// Seven lines with the apps of outputs: an app, and a display, which no output can serve.
let outputApps = """
  [[app]]
  id = "family"
  key = true
  [[app]]
  id = "screen"
  key = true
  surface = "display"

  """
