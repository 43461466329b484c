package import Ports

/// What other programs at a broker want to be told of an app, each in its own way.
package struct Integrations: Sendable {
  /// What is retained of the app, for programs that find it by that.
  /// - Parameter isFullAccuracy: whether the app may know precisely.
  package var discovery: @Sendable (_ isFullAccuracy: Bool) -> [(topic: String, payload: String, isRetained: Bool)]
  /// Topics that are emptied: what was retained there is not so any more.
  package var removed: [String]
  /// Where such a program says that it has started, and wants to be told again; nil where none does.
  package var birth: (topic: String, payload: String)?
  /// How the app's subscriber shows that it is there; nil if nothing is known of it.
  package var subscriber: SubscriberSign?
  /// How a region's crossing is told; nil where nobody wants to know.
  package var crossing: (@Sendable (RegionCrossing) -> (topic: String, payload: String))?
  /// What the broker says where it loses the gateway, in place of its status; made when it is connected to.
  package var will: (@Sendable () -> (topic: String, payload: String))?

  package init(
    discovery: @escaping @Sendable (_ isFullAccuracy: Bool) -> [(topic: String, payload: String, isRetained: Bool)] = {
      _ in []
    },
    removed: [String] = [], birth: (topic: String, payload: String)? = nil
  ) {
    self.discovery = discovery
    self.removed = removed
    self.birth = birth
  }
}
