/// The version of OneFix. This is its only definition.
package enum Release {
  /// The version number, after Semantic Versioning 2.0.0.
  package static let version = "1.1.0"
}
