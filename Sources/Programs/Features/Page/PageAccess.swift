package import Base

/// The links and the sessions of the web page for the gateway's owners. Only an owner can create a link. A link works
/// once and starts a session.
///
/// The gateway stores only the hashes of the tokens, and compares an offered token with every stored hash in constant
/// time.
package struct PageAccess: Sendable {
  /// The time after which an unopened link expires.
  package static let linkLifetime = Duration.seconds(120)
  /// The time without a user action after which a session ends.
  package static let idleLimit = Duration.seconds(30 * 60)
  package static let sessionLifetime = Duration.seconds(12 * 3600)
  /// The maximum number of unopened links, and the maximum number of sessions. At the maximum, a new link replaces the
  /// oldest link, and a new session replaces the session with the longest time since its latest user action.
  package static let most = 4

  private struct Link: Sendable {
    var digest: [UInt8]
    var end: MonotonicInstant
  }

  private struct Session: Sendable {
    var digest: [UInt8]
    var end: MonotonicInstant
    var lastUserAction: MonotonicInstant

    func isOver(at now: MonotonicInstant) -> Bool { now >= end || now - lastUserAction >= PageAccess.idleLimit }
  }

  private var links: [Link] = []
  private var sessions: [Session] = []

  package init() {}

  package mutating func addLink(_ token: PageToken, at now: MonotonicInstant) {
    removeExpired(at: now)
    links = links.suffix(Self.most - 1) + [Link(digest: token.digest, end: now + Self.linkLifetime)]
  }

  /// Starts a session and removes the link if the link is valid.
  /// - Parameter token: The random token of the new session.
  /// - Returns: Whether a session started.
  package mutating func open(_ link: PageToken, as token: PageToken, at now: MonotonicInstant) -> Bool {
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

  /// Returns whether a token belongs to a valid session.
  /// - Parameter isUserAction: Whether a user action caused the request. Only user actions extend the session.
  package mutating func validate(_ token: PageToken, isUserAction: Bool, at now: MonotonicInstant) -> Bool {
    removeExpired(at: now)
    guard let index = Self.index(of: token.digest, in: sessions.map(\.digest)) else { return false }
    if isUserAction { sessions[index].lastUserAction = max(sessions[index].lastUserAction, now) }
    return true
  }

  package mutating func end(_ token: PageToken) {
    if let index = Self.index(of: token.digest, in: sessions.map(\.digest)) { sessions.remove(at: index) }
  }

  private mutating func removeExpired(at now: MonotonicInstant) {
    links.removeAll { now >= $0.end }
    sessions.removeAll { $0.isOver(at: now) }
  }

  /// Returns the index of a digest in `known`; nil if `known` does not contain the digest. The function compares all
  /// elements, so that its duration does not reveal the index.
  private static func index(of digest: [UInt8], in known: [[UInt8]]) -> Int? {
    var found: Int?
    for (index, other) in known.enumerated() where isEqualInConstantTime(other, digest) { found = index }
    return found
  }
}

/// A random token of 32 bytes that identifies a link or a session of the web page for the gateway's owners. The gateway
/// shows the token only to its recipient.
package struct PageToken: Sendable, CustomStringConvertible {
  /// The token in base64url, for links and HTTP headers.
  package let text: String

  package init(_ bytes: [UInt8]) { text = Base64URL.text(of: bytes) }

  /// Creates a token from the text of a request; nil if the text is not base64url of 32 bytes.
  package init?(offered text: some StringProtocol) {
    let text = String(text)
    guard text.utf8.count == 43, Base64URL.bytes(of: text)?.count == 32 else { return nil }
    self.text = text
  }

  package var description: String { "(token)" }

  fileprivate var digest: [UInt8] { SHA256.hash(Array(text.utf8)) }
}
