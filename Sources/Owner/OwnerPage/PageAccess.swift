package import Clocks
import Crypto
import Handshake

/// Who may see the page: links that open it once, and the sessions that they opened. Nobody is an owner who was not
/// given a link by one.
///
/// What was given out is kept as its hash. What is offered is compared with all that is known, each in constant time.
package struct PageAccess: Sendable {
  /// How long a link may be opened.
  package static let linkLife = Duration.seconds(120)
  /// After so long without anything that a person did a session is over.
  package static let idleLimit = Duration.seconds(30 * 60)
  /// However much is done, a session is over after so long.
  package static let sessionLife = Duration.seconds(12 * 3600)
  /// Of links that were not opened yet, and of sessions. For one more the oldest goes.
  package static let most = 4

  private struct Link: Sendable {
    var digest: SHA256Digest
    var end: MonotonicInstant
  }

  private struct Session: Sendable {
    var digest: SHA256Digest
    var end: MonotonicInstant
    var lastAct: MonotonicInstant

    func isOver(at now: MonotonicInstant) -> Bool { now >= end || now - lastAct >= PageAccess.idleLimit }
  }

  private var links: [Link] = []
  private var sessions: [Session] = []

  package init() {}

  /// Somebody who is an owner is given a link.
  /// - Parameter token: made for it, by chance.
  package mutating func addLink(_ token: PageToken, at now: MonotonicInstant) {
    forgetOld(at: now)
    links = links.suffix(Self.most - 1) + [Link(digest: token.digest, end: now + Self.linkLife)]
  }

  /// A link is opened, which uses it up.
  /// - Parameter token: made for the session, by chance.
  /// - Returns: whether it was one; if so there is the session.
  package mutating func open(_ link: PageToken, as token: PageToken, at now: MonotonicInstant) -> Bool {
    forgetOld(at: now)
    let digest = link.digest
    guard let index = Self.index(of: digest, in: links.map(\.digest)) else { return false }
    links.remove(at: index)
    if sessions.count >= Self.most,
      let quietest = sessions.indices.min(by: { sessions[$0].lastAct < sessions[$1].lastAct })
    {
      sessions.remove(at: quietest)
    }
    sessions.append(Session(digest: token.digest, end: now + Self.sessionLife, lastAct: now))
    return true
  }

  /// Whether a session goes on.
  /// - Parameter isAct: whether a person did something; what a page does by itself is nothing.
  package mutating func admits(_ token: PageToken, isAct: Bool, at now: MonotonicInstant) -> Bool {
    forgetOld(at: now)
    guard let index = Self.index(of: token.digest, in: sessions.map(\.digest)) else { return false }
    if isAct { sessions[index].lastAct = max(sessions[index].lastAct, now) }
    return true
  }

  /// Ends a session.
  package mutating func end(_ token: PageToken) {
    if let index = Self.index(of: token.digest, in: sessions.map(\.digest)) { sessions.remove(at: index) }
  }

  private mutating func forgetOld(at now: MonotonicInstant) {
    links.removeAll { now >= $0.end }
    sessions.removeAll { $0.isOver(at: now) }
  }

  /// Looks at every one, so that the time that it takes tells nothing.
  private static func index(of digest: SHA256Digest, in known: [SHA256Digest]) -> Int? {
    var found: Int?
    // Digests are compared in constant time.
    for (index, other) in known.enumerated() where other == digest { found = index }
    return found
  }
}

/// What a link or a session is known by: 32 bytes that nobody can guess. It is shown to nobody but whom it was made
/// for.
package struct PageToken: Sendable, CustomStringConvertible {
  /// As it stands in a link or a header: base64url.
  package let text: String

  /// - Parameter bytes: 32, made by chance.
  package init(_ bytes: [UInt8]) { text = Base64URL.text(of: bytes) }

  /// What somebody offers; nil where it cannot be one.
  package init?(offered text: some StringProtocol) {
    let text = String(text)
    guard text.utf8.count == 43, Base64URL.bytes(of: text)?.count == 32 else { return nil }
    self.text = text
  }

  package var description: String { "(token)" }

  fileprivate var digest: SHA256Digest { SHA256.hash(data: Array(text.utf8)) }
}
