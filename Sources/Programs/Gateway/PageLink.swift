/// A link that opens the owners' page once.
package struct PageLink: Hashable, Sendable {
  /// The address of the page with the token, as in `http://127.0.0.1:8021/#TOKEN`.
  package var address: String
  /// The lifetime in seconds.
  package var seconds: Int

  package init(address: String, seconds: Int) {
    self.address = address
    self.seconds = seconds
  }
}
