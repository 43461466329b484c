/// The lines that were entered before, and which of them is looked at.
struct History: Hashable, Sendable {
  static let capacity = 50

  private(set) var entries: [String] = []
  /// Nil while a new line is written.
  private var position: Int?
  /// The new line, while an old one is looked at.
  private var draft = ""

  /// An empty line and one that is the same as the last are not kept.
  mutating func add(_ line: String) {
    position = nil
    guard !line.allSatisfy({ $0 == " " }), line != entries.last else { return }
    entries.append(line)
    if entries.count > Self.capacity { entries.removeFirst() }
  }

  /// - Returns: the line before; nil where there is none.
  mutating func earlier(than line: String) -> String? {
    let next = (position ?? entries.count) - 1
    guard next >= 0 else { return nil }
    if position == nil { draft = line }
    position = next
    return entries[next]
  }

  /// - Returns: the line after, at last the new one; nil where that is the one.
  mutating func later() -> String? {
    guard let present = position else { return nil }
    let next = present + 1
    position = next < entries.count ? next : nil
    return next < entries.count ? entries[next] : draft
  }

  /// The line that is written next is a new one.
  mutating func rewind() { position = nil }
}
