/// A link that opens the page once.
package struct PageLink: Hashable, Sendable {
  /// As in `http://127.0.0.1:8021/#TOKEN`.
  package var address: String
  /// How long it may be opened, seconds.
  package var seconds: Int

  package init(address: String, seconds: Int) {
    self.address = address
    self.seconds = seconds
  }
}
