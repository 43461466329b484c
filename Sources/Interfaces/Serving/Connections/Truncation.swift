import LineProtocol

/// Truncation of protocol lines to the maximum length on their connection. Clients know this maximum as the field
/// `maxline`.
extension ServerLine {
  private static let ellipsis = "…"

  /// Returns the protocol line, truncated to a length in bytes. The kind of the line determines the omitted text:
  ///
  /// - An error loses the end of its text.
  /// - A reply loses the ends of its longest lists, as in `armed=logbook,parks,+17`. If the line is still too long, the
  ///   reply loses its last fields, and `omitted=` contains the count of these fields.
  /// - A message loses the ends of its longest texts.
  func truncated(to longest: Int) -> ServerLine {
    let excess = line.utf8.count - longest
    guard excess > 0 else { return self }
    return switch self {
    case .info(let fields): .info(fields.shortened(by: excess))
    case .ok(let tag, let fields): .ok(tag: tag, fields.shortened(by: excess))
    case .error(let error, let tag, let fields):
      .error(LineError(error.code, Self.shortened(error.text, by: excess)), tag: tag, fields)
    case .message(let message): .message(Self.shortened(message, by: excess))
    case .ping, .pong: self
    }
  }

  private static func shortened(_ message: Message, by excess: Int) -> Message {
    var message = message
    message.json = shortened(json: message.json, by: excess)
    return message
  }

  private static func shortened(_ text: String, by excess: Int) -> String {
    let room = text.utf8.count - excess - ellipsis.utf8.count
    var kept = ""
    for character in text {
      guard kept.utf8.count + character.utf8.count <= room else { break }
      kept.append(character)
    }
    return kept + ellipsis
  }

  /// Returns a JSON object that is shorter by `excess` bytes. The function shortens the text values, the longest first.
  private static func shortened(json: String, by excess: Int) -> String {
    var (bytes, excess) = (Array(json.utf8), excess)
    while excess > 0, let text = texts(in: bytes).max(by: { $0.count < $1.count }), text.count > ellipsis.utf8.count {
      let kept =
        text.lowerBound
        + whole(String(decoding: bytes[text], as: UTF8.self), within: text.count - excess - ellipsis.utf8.count)
      bytes.replaceSubrange(kept..<text.upperBound, with: ellipsis.utf8)
      excess -= text.upperBound - kept - ellipsis.utf8.count
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the byte ranges of the text values in a JSON object, without their quotation marks.
  private static func texts(in json: [UInt8]) -> [Range<Int>] {
    var texts: [Range<Int>] = []
    var start: Int?
    var index = 0
    while index < json.count {
      switch (json[index], start) {
      case (UInt8(ascii: "\\"), .some): index += 1
      case (UInt8(ascii: "\""), nil): start = index + 1
      case (UInt8(ascii: "\""), let begin?):
        // A text before a colon is a key and not a value.
        if json.dropFirst(index + 1).first != UInt8(ascii: ":") { texts.append(begin..<index) }
        start = nil
      default: break
      }
      index += 1
    }
    return texts
  }

  /// Returns how many bytes at the beginning of a JSON text fit into `room` bytes. The result never ends inside a
  /// character or an escape sequence.
  private static func whole(_ text: String, within room: Int) -> Int {
    var (kept, rest) = (0, text[...])
    while let first = rest.popFirst() {
      if first == "\\", rest.popFirst() == "u" { rest = rest.dropFirst(4) }
      let end = text.utf8.count - rest.utf8.count
      guard end <= room else { break }
      kept = end
    }
    return kept
  }
}

extension ServerLine.Fields {
  fileprivate func shortened(by excess: Int) -> Self {
    var (fields, excess) = (self, excess)
    while excess > 0, let index = fields.longestList {
      let value = fields.pairs[index].value
      fields.pairs[index].value = Self.shortened(list: value, by: excess)
      excess -= value.utf8.count - fields.pairs[index].value.utf8.count
    }
    guard excess > 0 else { return fields }
    // The number of omitted fields has at most three digits, because a reply has fewer than 1000 fields.
    excess += " omitted=000".utf8.count
    var omitted = 0
    while excess > 0, let last = fields.pairs.popLast() {
      excess -= " \(last.key)=\(last.value)".utf8.count
      omitted += 1
    }
    fields["omitted"] = "\(omitted)"
    return fields
  }

  /// The index of the field with the longest list that can be shortened; nil if no list can be shortened.
  private var longestList: Int? {
    pairs.indices.filter { Self.shortened(list: pairs[$0].value, by: 1) != pairs[$0].value }
      .max { pairs[$0].value.utf8.count < pairs[$1].value.utf8.count }
  }

  /// Returns the first elements of a comma-separated list and the count of the omitted elements, as in `a,b,+17`.
  /// Returns the list unchanged if the result would not be shorter.
  /// - Parameter excess: The count of bytes to save.
  private static func shortened(list: String, by excess: Int) -> String {
    var elements = list.split(separator: ",", omittingEmptySubsequences: false)
    // The last element of a list that was shortened before is the count of omitted elements. A larger number is text
    // of the list itself.
    var count = elements.last.flatMap { $0.first == "+" ? Int($0.dropFirst()) : nil } ?? 0
    if (1...999_999).contains(count) { elements.removeLast() } else { count = 0 }
    var shortest = list
    while elements.count > 1, list.utf8.count - shortest.utf8.count < excess {
      elements.removeLast()
      count += 1
      let shorter = (elements + ["+\(count)"]).joined(separator: ",")
      if shorter.utf8.count < shortest.utf8.count { shortest = shorter }
    }
    return shortest
  }
}
