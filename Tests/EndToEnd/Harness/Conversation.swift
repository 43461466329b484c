import Testing

/// Lines of the protocol on a page, sent to a gateway. Text far to the right of a line is a remark.
struct Conversation {
  private let reader: PageReader
  private let lines: [String]
  private let app: String
  private static let beginnings = ["INFO ", "+OK", "-ERR ", "MSG ", "PONG"]
  private static let owners = ["ANSWER ", "SET ", "USE ", "RESET ", "APPS", "LOCK", "SUB owner/"]

  /// - Parameter app: The app that sends the lines if the page leaves out the HELLO.
  init(_ reader: PageReader, _ lines: [String], app: String?) {
    self.reader = reader
    self.lines = lines.map { $0.replacing(/\ {3,}.*$/, with: "") }
    self.app = app ?? "park-finder"
  }

  private static func isGateways(_ line: String) -> Bool { beginnings.contains { line.hasPrefix($0) } }

  private static func isReply(_ line: String) -> Bool { isGateways(line) && !line.hasPrefix("MSG ") }

  func play() async throws {
    let daemon = reader.daemon
    let isWhole = lines.contains { $0.hasPrefix("HELLO ") || $0.contains(" HELLO ") }
    let peer = isWhole ? try Peer(daemon.socket) : try await Peer.greeted(daemon, app: app)
    var owner: Peer?
    if lines.contains(where: { line in line.hasPrefix("MSG owner/") || Self.owners.contains { line.hasPrefix($0) } }) {
      let listening = try await Peer.owner(daemon)
      try await listening.say("SUB owner/# news")
      owner = listening
    }
    do {
      try await play(peer, owner)
    } catch {
      throw PageReader.Unlike(
        description: "\(error)\nthe app was told:\n\(peer.said)\nthe owner:\n\(owner?.said ?? [])")
    }
    peer.write("BYE")
    try await peer.hungUp()
  }

  private func play(_ peer: Peer, _ owner: Peer?) async throws {
    for (index, line) in lines.enumerated() {
      let isOwners = line.hasPrefix("MSG owner/") || Self.owners.contains { line.hasPrefix($0) }
      guard let speaker = isOwners ? owner : peer else { continue }
      if Self.isGateways(line) {
        try await heard(line, by: speaker)
      } else {
        speaker.write(isOwners ? numbered(line, by: speaker) : line)
        // If the page leaves out a reply, the reply must be +OK.
        if index + 1 == lines.count || !Self.isReply(lines[index + 1]) { try await heard("+OK…", by: speaker) }
      }
    }
  }

  /// Returns the answer with the number of the last question.
  private func numbered(_ line: String, by owner: Peer) -> String {
    guard let prompt = owner.said("MSG owner/prompt").last?.firstMatch(of: /"prompt":([0-9]+)/)?.1 else { return line }
    return line.replacing(/^ANSWER [0-9]+/, with: "ANSWER \(prompt)")
  }

  private func heard(_ shown: String, by peer: Peer) async throws {
    if shown.hasPrefix("MSG fix/") {
      let topic = String(shown.prefix { $0 != "{" && $0 != "…" }.prefix(12))
      _ = try await eventually("a fix") {
        if peer.said(topic).count > 0 { return true }
        try await reader.daemon.press()
        return nil
      }
    }
    let kind = Self.isReply(shown) ? nil : shown.split(separator: " ").prefix(2).joined(separator: " ")
    let said = try await peer.next(within: .seconds(20)) { line in kind.map { line.hasPrefix($0) } ?? Self.isReply(line)
    }
    guard Shown.matches(said, shown) else {
      throw PageReader.Unlike(description: "the gateway said:\n\(said)\nand not:\n\(shown)")
    }
  }
}
