/// The lines that the user entered earlier, and the position of the displayed line in the list of these lines.
struct History: Hashable, Sendable {
  static let capacity = 50

  private(set) var entries: [String] = []
  /// The index of the displayed entry. Nil while the user edits a new line.
  private var position: Int?
  /// A copy of the new line, while the user views an older line.
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
  /// - Returns: The next entry, or the new line after the latest entry. Nil if the new line is already displayed.
  mutating func later() -> String? {
    guard let present = position else { return nil }
    let next = present + 1
    position = next < entries.count ? next : nil
    return next < entries.count ? entries[next] : draft
  }

  /// Makes the new line the displayed entry.
  mutating func rewind() { position = nil }
}
