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
