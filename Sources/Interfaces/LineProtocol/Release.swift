/// Which OneFix this is: the one place that says so.
package enum Release {
  /// Semantic Versioning 2.0.0.
  package static let version = "1.0.0"
}
