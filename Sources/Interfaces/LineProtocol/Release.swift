package enum Release {
  /// The version number of OneFix, in the format of Semantic Versioning 2.0.0.
  package static let version = "1.2.0"
}
