/// The command lines that the user has entered in a session. The keys Up and Down select an entry.
struct History: Hashable, Sendable {
  static let capacity = 50

  private(set) var entries: [String] = []
  /// The index of the selected entry; nil while the user edits a new command.
  private var position: Int?
  /// The text of the new command before the user selected an earlier entry.
  private var draft = ""

  /// Adds a command line. Empty lines, lines of spaces, and a repetition of the newest entry are ignored.
  mutating func add(_ line: String) {
    position = nil
    guard !line.allSatisfy({ $0 == " " }), line != entries.last else { return }
    entries.append(line)
    if entries.count > Self.capacity { entries.removeFirst() }
  }

  /// Selects the previous entry, and returns the entry; nil if there is no previous entry.
  /// - Parameter line: The line on the screen, which is stored if the line is a new command.
  mutating func earlier(than line: String) -> String? {
    let next = (position ?? entries.count) - 1
    guard next >= 0 else { return nil }
    if position == nil { draft = line }
    position = next
    return entries[next]
  }

  /// Selects the next entry, and returns the entry. After the newest entry, the result is the unfinished new command.
  /// Returns nil if no entry is selected.
  mutating func later() -> String? {
    guard let present = position else { return nil }
    let next = present + 1
    position = next < entries.count ? next : nil
    return next < entries.count ? entries[next] : draft
  }

  mutating func rewind() { position = nil }
}
