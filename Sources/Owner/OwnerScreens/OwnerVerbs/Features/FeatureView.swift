package import LineProtocol

/// The texts for owners (administrators) about one optional feature, for example time for the service chrony.
package protocol FeatureView: Sendable {
  /// Reads the state of the feature; nil if the gateway does not use the feature.
  /// - Parameter status: The fields of the reply to the command `STATUS`.
  init?(_ status: ServerLine.Fields)

  /// Returns the label and the value of the feature for the output of the command `status`.
  func row(_ formatter: TextFormatter) -> (label: String, value: String)

  /// The result for the feature in `onefix doctor`, a command that checks a gateway.
  var statement: Statement { get }
  /// Returns the sentence for the privacy report about data that other users of the machine can see because of the
  /// feature.
  func notice(_ formatter: TextFormatter) -> String

  /// Returns the explanation of a warning in `onefix doctor`; nil if the warning is not about this feature.
  /// - Parameter warning: The code of the warning in the reply to the command `STATUS`.
  static func statement(about warning: String) -> Statement?
}

/// The list of the optional features that have texts for owners (administrators).
package enum FeatureViews {
  static let types: [any FeatureView.Type] = [TimeView.self]

  package static func of(_ status: ServerLine.Fields) -> [any FeatureView] { types.compactMap { $0.init(status) } }

  package static func statement(about warning: String) -> Statement? {
    types.lazy.compactMap { $0.statement(about: warning) }.first
  }
}
