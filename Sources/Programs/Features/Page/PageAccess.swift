package import Base

/// The one-time links and the sessions of the owners' web page. Only an owner can create a link. Opening a link starts
/// a session in the browser.
///
/// The gateway stores only hashes of their tokens, and compares a token with all of them in constant time.
package struct PageAccess: Sendable {
  package static let linkLifetime = Duration.seconds(120)
  /// The time without an action of the user after which a session ends.
  package static let idleLimit = Duration.seconds(30 * 60)
  package static let sessionLifetime = Duration.seconds(12 * 3600)
  /// The maximum count of unopened links, and the maximum count of sessions. A further link replaces the oldest one. A
  /// further session replaces the session that was idle for the longest time.
  package static let most = 4

  private struct Link: Sendable {
    var digest: [UInt8]
    var end: BootInstant
  }

  private struct Session: Sendable {
    var digest: [UInt8]
    var end: BootInstant
    var lastUserAction: BootInstant

    func isOver(at now: BootInstant) -> Bool { now >= end || now - lastUserAction >= PageAccess.idleLimit }
  }

  private var links: [Link] = []
  private var sessions: [Session] = []

  package init() {}

  package mutating func addLink(_ token: PageToken, at now: BootInstant) {
    links = links.suffix(Self.most - 1) + [Link(digest: token.digest, end: now + Self.linkLifetime)]
  }

  /// Opens a link: starts a session, and removes the link. The call has no effect if the link is not valid.
  /// - Parameters:
  ///   - link: The token of the link.
  ///   - token: The token for the new session.
  /// - Returns: Whether a session has started.
  package mutating func open(_ link: PageToken, as token: PageToken, at now: BootInstant) -> Bool {
    removeExpired(at: now)
    let digest = link.digest
    guard let index = Self.index(of: digest, in: links.map(\.digest)) else { return false }
    links.remove(at: index)
    if sessions.count >= Self.most,
      let quietest = sessions.indices.min(by: { sessions[$0].lastUserAction < sessions[$1].lastUserAction })
    {
      sessions.remove(at: quietest)
    }
    sessions.append(Session(digest: token.digest, end: now + Self.sessionLifetime, lastUserAction: now))
    return true
  }

  /// Returns whether a token belongs to a session that has not ended.
  /// - Parameter isUserAction: Whether an action of the user caused the request. Only such a request keeps the session
  ///   alive.
  package mutating func validate(_ token: PageToken, isUserAction: Bool, at now: BootInstant) -> Bool {
    removeExpired(at: now)
    guard let index = Self.index(of: token.digest, in: sessions.map(\.digest)) else { return false }
    if isUserAction { sessions[index].lastUserAction = max(sessions[index].lastUserAction, now) }
    return true
  }

  package mutating func end(_ token: PageToken) {
    if let index = Self.index(of: token.digest, in: sessions.map(\.digest)) { sessions.remove(at: index) }
  }

  private mutating func removeExpired(at now: BootInstant) {
    links.removeAll { now >= $0.end }
    sessions.removeAll { $0.isOver(at: now) }
  }

  /// Returns the index of a hash in `known`; nil if the array does not contain the hash. The time of the comparison
  /// does not depend on the index.
  private static func index(of digest: [UInt8], in known: [[UInt8]]) -> Int? {
    var found: Int?
    for (index, other) in known.enumerated() where isEqualInConstantTime(other, digest) { found = index }
    return found
  }
}

/// A random secret of 32 bytes that identifies a link or a session of the owners' web page. A token is never logged.
package struct PageToken: Sendable, CustomStringConvertible {
  /// The text form of the token, in Base64url.
  package let text: String

  package init(_ bytes: [UInt8]) { text = Base64URL.text(of: bytes) }

  /// Parses the token from a request; nil if the text is not 32 bytes in Base64url.
  package init?(offered text: some StringProtocol) {
    let text = String(text)
    guard text.utf8.count == 43, Base64URL.bytes(of: text)?.count == 32 else { return nil }
    self.text = text
  }

  package var description: String { "(token)" }

  fileprivate var digest: [UInt8] { SHA256.hash(Array(text.utf8)) }
}
