/// The lines that the user entered earlier, and the position of the displayed line in the list of these lines.
struct History: Hashable, Sendable {
  static let capacity = 50

  private(set) var entries: [String] = []
  /// The index of the displayed entry; nil while the user edits a command that is not in the list yet.
  private var position: Int?
  /// A copy of the unfinished command, while the user views an older entry.
  private var draft = ""

  /// Adds a line. A line that is empty or equal to the latest entry is not added.
  mutating func add(_ line: String) {
    position = nil
    guard !line.allSatisfy({ $0 == " " }), line != entries.last else { return }
    entries.append(line)
    if entries.count > Self.capacity { entries.removeFirst() }
  }

  /// Moves to the previous entry.
  /// - Parameter line: the displayed line.
  /// - Returns: The previous entry, or nil if there is none.
  mutating func earlier(than line: String) -> String? {
    let next = (position ?? entries.count) - 1
    guard next >= 0 else { return nil }
    if position == nil { draft = line }
    position = next
    return entries[next]
  }

  /// Moves to the next entry.
  /// - Returns: The next entry. If the latest entry is displayed, the result is the command that the user had begun to
  ///   type. If this command is already displayed, the result is nil.
  mutating func later() -> String? {
    guard let present = position else { return nil }
    let next = present + 1
    position = next < entries.count ? next : nil
    return next < entries.count ? entries[next] : draft
  }

  /// Makes the unfinished command the displayed line.
  mutating func rewind() { position = nil }
}
