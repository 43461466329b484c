/// The command lines that the user entered earlier. The keys Up and Down select a command line.
struct History: Hashable, Sendable {
  static let capacity = 50

  private(set) var entries: [String] = []
  /// The index of the displayed entry; nil while the user edits a new command.
  private var position: Int?
  /// The unfinished new command, while an older entry is displayed.
  private var draft = ""

  /// Adds a line, unless the line contains only spaces or is equal to the latest entry.
  mutating func add(_ line: String) {
    position = nil
    guard !line.allSatisfy({ $0 == " " }), line != entries.last else { return }
    entries.append(line)
    if entries.count > Self.capacity { entries.removeFirst() }
  }

  /// Selects the entry before the displayed line and returns this entry; nil if there is no such entry. `line` is the
  /// displayed line.
  mutating func earlier(than line: String) -> String? {
    let next = (position ?? entries.count) - 1
    guard next >= 0 else { return nil }
    if position == nil { draft = line }
    position = next
    return entries[next]
  }

  /// Selects the entry after the displayed entry and returns this entry. After the latest entry, returns the unfinished
  /// new command. Returns nil if this command is already displayed.
  mutating func later() -> String? {
    guard let present = position else { return nil }
    let next = present + 1
    position = next < entries.count ? next : nil
    return next < entries.count ? entries[next] : draft
  }

  mutating func rewind() { position = nil }
}
