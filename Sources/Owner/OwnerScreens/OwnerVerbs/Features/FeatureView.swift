package import LineProtocol

/// The texts for owners about one feature, from the gateway's status.
package protocol FeatureView: Sendable {
  /// Nil if the status does not contain the feature, because the gateway does not use it.
  init?(_ status: ServerLine.Fields)

  /// The label and the value of the feature's row of `status`.
  func row(_ formatter: TextFormatter) -> (label: String, value: String)

  /// The statement of `onefix doctor`.
  var statement: Statement { get }
  /// A text for the privacy report about the data that the feature shows to other users.
  func notice(_ formatter: TextFormatter) -> String

  /// The statement of `onefix doctor` about a warning of the status; nil if the warning is not about the feature.
  static func statement(about warning: String) -> Statement?
}

/// The texts for owners about all features.
package enum FeatureViews {
  /// The features with texts for owners, in the order of their texts. No other file names them all.
  static let types: [any FeatureView.Type] = [TimeView.self]

  package static func of(_ status: ServerLine.Fields) -> [any FeatureView] { types.compactMap { $0.init(status) } }

  package static func statement(about warning: String) -> Statement? {
    types.lazy.compactMap { $0.statement(about: warning) }.first
  }
}
