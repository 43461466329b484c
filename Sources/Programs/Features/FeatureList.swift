/// The features of the daemon, in the order in which they read `onefix.toml` and are checked. No other file names them all.
package let featureTypes: [any Feature.Type] = [NMEAFeature.self, TimeFeature.self, MetricsFeature.self]
