package import Base

/// A state machine that selects the page of text for a display. The caller passes the texts and the time, and reports
/// when the display shows a page. A page that the display has not shown for its time is never skipped.
package struct DisplaySession: Sendable {
  /// The time for which each line of text is shown. A person reads about 24 characters per second (238 words per
  /// minute; Brysbaert, "How many words do we read per minute?", 2019), and a line has 11 characters on average.
  static let timePerLine = Duration.milliseconds(450)
  /// The time for which the display shows the effect of a press of the button.
  static let noticeTime = Duration.seconds(10)
  /// The time after which an unchanged text is no longer shown. The pixels of OLED displays lose brightness with use.
  static let standingTime = Duration.seconds(60)
  /// The time for which the display shows the name of the gateway and the state of its receiver after a press of the
  /// button. Other texts come first.
  static let idleTime = Duration.seconds(10)

  private enum Kind: Hashable {
    case question(prompt: Int)
    case other
  }

  private struct Text {
    var kind: Kind
    var paragraphs: [String]
    var pages: [DisplayPage]
    /// The index of the page to show.
    var index = 0
    /// The instant since which the display shows this page; nil before the display shows the page.
    var shownSince: MonotonicInstant?
    /// Whether the display has shown each page for the time of its lines.
    var isRead = false

    /// The instant of the change to the next page; nil before the display shows this page.
    var end: MonotonicInstant? {
      guard let shownSince, !pages.isEmpty else { return nil }
      return shownSince + DisplaySession.timePerLine * pages[index].lines.count
    }

    /// Continues with the next page, and after the last page with the first page.
    mutating func turn() {
      index += 1
      if index == pages.count { (index, isRead) = (0, true) }
      shownSince = nil
    }
  }

  /// The count of text lines on a page of the display.
  private let rows: Int
  private let glyph: @Sendable (Unicode.Scalar) -> Glyph?
  private var content = DisplayContent()
  private var hasContent = false
  private var noticeUntil: MonotonicInstant?
  private var standingUntil: MonotonicInstant?
  private var idleUntil: MonotonicInstant?
  private var text: Text?

  /// Creates a state machine for a display.
  /// - Parameters:
  ///   - height: The height of the display in pixels.
  ///   - glyph: Returns the bitmap of a character; nil if the font has no such character.
  package init(height: Int, _ glyph: @escaping @Sendable (Unicode.Scalar) -> Glyph?) {
    rows = height / Glyph.height
    self.glyph = glyph
  }

  /// Replaces the texts, and selects the text to show. The display shows the effect of a press of the button only if
  /// the press happened after the first call.
  package mutating func update(_ new: DisplayContent, at now: MonotonicInstant) {
    if hasContent, let notice = new.notice, notice.id != content.notice?.id { noticeUntil = now + Self.noticeTime }
    if new.standing != content.standing { standingUntil = now + Self.standingTime }
    (content, hasContent) = (new, true)
    pass(to: now)
  }

  /// Shows the state of the gateway for some seconds, because a user has pressed a button.
  package mutating func pressButton(at now: MonotonicInstant) {
    standingUntil = now + Self.standingTime
    idleUntil = now + Self.idleTime
    pass(to: now)
  }

  /// Selects the text that the display shows at this instant.
  package mutating func pass(to now: MonotonicInstant) {
    guard let (kind, paragraphs) = selection(at: now), !paragraphs.isEmpty else {
      text = nil
      return
    }
    guard text?.kind == kind, text?.paragraphs == paragraphs else {
      text = Text(kind: kind, paragraphs: paragraphs, pages: DisplayPage.pages(of: paragraphs, rows: rows, glyph))
      return
    }
    if let end = text?.end, end <= now { text?.turn() }
  }

  private func selection(at now: MonotonicInstant) -> (Kind, [String])? {
    func isBefore(_ end: MonotonicInstant?) -> Bool { end.map { now < $0 } ?? false }
    if let question = content.question { return (.question(prompt: question.prompt), question.paragraphs) }
    if isBefore(noticeUntil), !content.isLocked, let notice = content.notice { return (.other, notice.paragraphs) }
    if isBefore(standingUntil), !content.standing.isEmpty { return (.other, content.standing) }
    return isBefore(idleUntil) ? (.other, content.idle) : nil
  }

  /// The page to show; nil if the display is off. After the last page of a text, the first page is shown again.
  package var page: DisplayPage? { text.flatMap { $0.pages.isEmpty ? nil : $0.pages[$0.index] } }

  /// Records that the display shows the present page since this instant. Later calls for the same page have no effect.
  package mutating func noteShown(since instant: MonotonicInstant) {
    if text != nil, text?.shownSince == nil { text?.shownSince = instant }
  }

  /// Returns the time until the next page; nil if no page is shown.
  package func timeToTurn(at now: MonotonicInstant) -> Duration? {
    guard let end = text?.end else { return nil }
    let rest: Duration = end - now
    return max(.zero, rest)
  }

  /// The identifier of the prompt (a question to the user) if the display has shown all its pages long enough to read;
  /// otherwise nil.
  package var readPrompt: Int? {
    guard let text, case .question(let prompt) = text.kind, text.isRead else { return nil }
    return prompt
  }
}
