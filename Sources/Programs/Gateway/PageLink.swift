/// A link that opens the owners' page once.
package struct PageLink: Hashable, Sendable {
  /// The address of the owners' page with its token, for example `http://127.0.0.1:8021/#TOKEN`.
  package var address: String
  /// The time for which the link is valid, in seconds.
  package var seconds: Int

  package init(address: String, seconds: Int) {
    self.address = address
    self.seconds = seconds
  }
}
