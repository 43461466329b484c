package import LineProtocol

/// The texts for owners about one optional feature of the gateway, such as time for chrony.
package protocol FeatureView: Sendable {
  /// Reads the state of the feature. Nil if the gateway does not use the feature.
  /// - Parameter status: The fields of the reply to the command `STATUS`.
  init?(_ status: ServerLine.Fields)

  /// Returns the row of the feature in the output of `status`.
  func row(_ formatter: TextFormatter) -> (label: String, value: String)

  /// The line of `onefix doctor` about the state of the feature.
  var statement: Statement { get }
  /// Returns the sentence of the privacy report about data that other users of the machine can see because of the
  /// feature.
  func notice(_ formatter: TextFormatter) -> String

  /// Returns the line of `onefix doctor` about a warning; nil if the warning is not about this feature.
  /// - Parameter warning: The code of the warning in the reply to the command `STATUS`.
  static func statement(about warning: String) -> Statement?
}

/// Finds the texts of all optional features.
package enum FeatureViews {
  /// The features that have such texts, in the order of their texts.
  static let types: [any FeatureView.Type] = [TimeView.self]

  package static func of(_ status: ServerLine.Fields) -> [any FeatureView] { types.compactMap { $0.init(status) } }

  package static func statement(about warning: String) -> Statement? {
    types.lazy.compactMap { $0.statement(about: warning) }.first
  }
}
