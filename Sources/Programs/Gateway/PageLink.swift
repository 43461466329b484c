/// A link that opens the owner's page once.
package struct PageLink: Hashable, Sendable {
  /// For example `http://127.0.0.1:8021/#TOKEN`.
  package var address: String
  /// The validity of the link, in seconds.
  package var seconds: Int

  package init(address: String, seconds: Int) {
    self.address = address
    self.seconds = seconds
  }
}
