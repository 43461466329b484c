/// An editor for one command line, which works on any terminal.
package struct LineEditor: Sendable {
  package enum Outcome: Hashable, Sendable {
    case entered(String)
    case interrupted
    /// The user has typed Ctrl-D on an empty line.
    case ended
  }

  private var keys = KeyDecoder()
  private var line = EditedLine()
  private var history = History()
  private var display: LineDisplay
  private let columns: Int

  package init(prompt: String, columns: Int) {
    self.columns = max(20, columns)
    display = LineDisplay(prompt: prompt, columns: columns)
  }

  var isEmpty: Bool { line.isEmpty }

  /// Draws the edited line, after the fixed text at its beginning. Call this function before the first call of
  /// `process`, and again after each outcome of `process`.
  package mutating func begin(into output: inout [UInt8]) { display.draw(line, into: &output) }

  /// Removes the edited line from the screen, so that the caller can write other text. `begin(into:)` draws the edited
  /// line again.
  package mutating func hide(into output: inout [UInt8]) { display.erase(into: &output) }

  /// Handles a typed byte. After an outcome, the edited line is empty and no longer on the screen.
  /// - Parameters:
  ///   - byte: The typed byte.
  ///   - candidates: Returns completions of the last word of a text. Completions that do not begin with this word are
  ///     ignored.
  ///   - output: The bytes for the terminal are appended to this array.
  /// - Returns: The outcome; nil if the user has not finished the line.
  package mutating func process(
    _ byte: UInt8, candidates: (String) -> [String] = { _ in [] }, into output: inout [UInt8]
  ) -> Outcome? {
    var outcome: Outcome?
    // One byte can complete two keys. The first of the two keys is an incomplete sequence and has no outcome.
    for key in keys.decode(byte) { outcome = process(key, candidates, into: &output) ?? outcome }
    return outcome
  }

  private mutating func process(
    _ key: Key, _ candidates: (String) -> [String], into output: inout [UInt8]
  ) -> Outcome? {
    let hasChanged: Bool
    switch key {
    case .enter: return enter(into: &output)
    case .interrupt:
      display.leave("^C", into: &output)
      clear()
      return .interrupted
    case .endOfInput where line.isEmpty:
      display.leave(into: &output)
      return .ended
    case .tab:
      complete(candidates(line.textBeforeCursor), into: &output)
      return nil
    case .redraw:
      output += Array("\r\n".utf8)
      display.draw(line, into: &output)
      return nil
    case .character(let scalar): hasChanged = line.insert(scalar)
    case .left: hasChanged = line.move(to: line.cursor - 1)
    case .right: hasChanged = line.move(to: line.cursor + 1)
    case .home:
      _ = line.move(to: 0)
      hasChanged = true
    case .end:
      _ = line.move(to: line.cells.count)
      hasChanged = true
    case .up: hasChanged = recall(history.earlier(than: line.text))
    case .down: hasChanged = recall(history.later())
    case .backspace: hasChanged = line.deleteBefore()
    case .delete, .endOfInput: hasChanged = line.deleteUnder()
    case .killToEnd: hasChanged = line.killToEnd()
    case .killToStart: hasChanged = line.killToStart()
    case .killWord: hasChanged = line.killWord()
    case .pageUp, .pageDown, .suspend, .position, .unknown: hasChanged = false
    }
    if hasChanged { display.update(line, into: &output) } else { output.append(LineDisplay.bell) }
    return nil
  }

  private mutating func enter(into output: inout [UInt8]) -> Outcome {
    let text = line.text
    display.leave(into: &output)
    history.add(text)
    clear()
    return .entered(text)
  }

  private mutating func clear() {
    history.rewind()
    line = EditedLine()
  }

  private mutating func recall(_ text: String?) -> Bool {
    guard let text else { return false }
    line = EditedLine(text)
    return true
  }

  // MARK: Completion

  /// Completes the last word with the common prefix of all candidates. If the word is already the common prefix, the
  /// candidates are listed.
  private mutating func complete(_ candidates: [String], into output: inout [UInt8]) {
    let word = line.textBeforeCursor.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    let matching = candidates.filter { $0.hasPrefix(word) }
    guard let first = matching.first else { return output.append(LineDisplay.bell) }
    let common = matching.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    var addition = String(common.unicodeScalars.dropFirst(word.unicodeScalars.count))
    if matching.count == 1 { addition += " " }
    if addition.isEmpty {
      display.leave(into: &output)
      for row in rows(of: matching) { output += Array("\(row)\r\n".utf8) }
      display.draw(line, into: &output)
      return
    }
    for scalar in addition.unicodeScalars where !line.insert(scalar) {
      output.append(LineDisplay.bell)
      break
    }
    display.update(line, into: &output)
  }

  private func rows(of words: [String]) -> [String] {
    let width = 2 + (words.map { Cell.cells(of: $0).columns }.max() ?? 0)
    let perRow = max(1, (columns - 1) / width)
    return stride(from: 0, to: words.count, by: perRow).map { start in
      var row: [Cell] = []
      for (index, word) in words[start..<min(words.count, start + perRow)].enumerated() {
        let spaces = index * width - row.columns
        row += Cell.cells(of: String(repeating: " ", count: max(0, spaces)) + word)
      }
      return row.text
    }
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
