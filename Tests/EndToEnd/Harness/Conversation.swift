import Testing

/// Lines of the protocol on a page, sent to a gateway. Text far to the right of a line is a remark.
struct Conversation {
  private let reader: PageReader
  private let lines: [String]
  private let app: String
  private static let beginnings = ["INFO ", "+OK", "-ERR ", "MSG ", "PONG"]
  private static let owners = ["MSG owner/", "ANSWER ", "SET ", "USE ", "RESET ", "APPS", "LOCK", "SUB owner/"]

  /// - Parameter app: The app that sends the lines if the page leaves out the HELLO.
  init(_ reader: PageReader, _ lines: [String], app: String?) {
    self.reader = reader
    self.lines = lines.map { $0.replacing(/\ {3,}.*$/, with: "") }
    self.app = app ?? "park-finder"
  }

  private static func isGateways(_ line: String) -> Bool { beginnings.contains { line.hasPrefix($0) } }

  private static func isOwners(_ line: String) -> Bool { owners.contains { line.hasPrefix($0) } }

  private static func isReply(_ line: String) -> Bool { isGateways(line) && !line.hasPrefix("MSG ") }

  func play() async throws {
    let daemon = reader.daemon
    let isWhole = lines.contains { $0.hasPrefix("HELLO ") || $0.contains(" HELLO ") }
    let peer = isWhole ? try Peer(daemon.socket) : try await Peer.connected(daemon, app: app)
    var owner: Peer?
    if lines.contains(where: Self.isOwners) {
      let listening = try await Peer.owner(daemon)
      try await listening.reply(to: "SUB owner/# news")
      owner = listening
    }
    do {
      try await play(peer, owner)
    } catch {
      throw PageReader.Unlike(
        description: "\(error)\nsent to the app:\n\(peer.received)\nsent to the owner:\n\(owner?.received ?? [])")
    }
    peer.write("BYE")
    try await peer.hungUp()
  }

  private func play(_ peer: Peer, _ owner: Peer?) async throws {
    for (index, line) in lines.enumerated() {
      let isOwners = Self.isOwners(line)
      guard let speaker = isOwners ? owner : peer else { continue }
      if Self.isGateways(line) {
        try await expect(line, by: speaker)
      } else {
        speaker.write(isOwners ? try numbered(line, by: speaker) : line)
        // If the page leaves out a reply, the reply must be +OK.
        if index + 1 == lines.count || !Self.isReply(lines[index + 1]) { try await expect("+OK…", by: speaker) }
      }
    }
  }

  /// Returns the answer with the number of the last question.
  private func numbered(_ line: String, by owner: Peer) throws -> String {
    guard let prompt = try owner.received("MSG owner/prompt").last.map(questionNumber) else { return line }
    return line.replacing(/^ANSWER [0-9]+/, with: "ANSWER \(prompt)")
  }

  private func expect(_ shown: String, by peer: Peer) async throws {
    if shown.hasPrefix("MSG fix/") {
      let topic = String(shown.prefix { $0 != "{" && $0 != "…" }.prefix(12))
      _ = try await eventually("a fix") {
        if peer.received(topic).count > 0 { return true }
        try await reader.daemon.press()
        return nil
      }
    }
    let kind = Self.isReply(shown) ? nil : shown.split(separator: " ").prefix(2).joined(separator: " ")
    let received = try await peer.next(within: .seconds(20)) { line in
      kind.map { line.hasPrefix($0) } ?? Self.isReply(line)
    }
    guard Shown.matches(received, shown) else {
      throw PageReader.Unlike(description: "the gateway received:\n\(received)\nand not:\n\(shown)")
    }
  }
}
