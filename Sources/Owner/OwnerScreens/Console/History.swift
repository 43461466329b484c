/// The earlier command lines of a session. The keys Up and Down go through them.
struct History: Hashable, Sendable {
  static let capacity = 50

  private(set) var entries: [String] = []
  /// The index of the entry on the screen; nil while the user edits a new command.
  private var position: Int?
  /// The unfinished new command, while an earlier entry is on the screen.
  private var draft = ""

  /// Adds a command line. Empty lines, lines of spaces, and a repetition of the newest entry are ignored.
  mutating func add(_ line: String) {
    position = nil
    guard !line.allSatisfy({ $0 == " " }), line != entries.last else { return }
    entries.append(line)
    if entries.count > Self.capacity { entries.removeFirst() }
  }

  /// Goes to the previous entry, and returns the entry; nil if there is none.
  /// - Parameter line: The line on the screen. A new command is kept as the draft.
  mutating func earlier(than line: String) -> String? {
    let next = (position ?? entries.count) - 1
    guard next >= 0 else { return nil }
    if position == nil { draft = line }
    position = next
    return entries[next]
  }

  /// Goes to the next entry, and returns it. After the newest entry follows the unfinished new command; if this command
  /// is already on the screen, the result is nil.
  mutating func later() -> String? {
    guard let present = position else { return nil }
    let next = present + 1
    position = next < entries.count ? next : nil
    return next < entries.count ? entries[next] : draft
  }

  mutating func rewind() { position = nil }
}
