import Features
import Metrics
import Time

/// The features of the daemon, in the order in which they read `onefix.toml` and are checked. No other file names them all.
let featureTypes: [any Feature.Type] = [TimeFeature.self, MetricsFeature.self]
