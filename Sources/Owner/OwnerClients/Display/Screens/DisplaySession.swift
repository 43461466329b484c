package import Base

/// A state machine that selects the page of text for a display. The caller passes the texts and the time.
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
    var began: MonotonicInstant
  }

  /// The count of text lines on a page of the display.
  private let rows: Int
  private var content = DisplayContent()
  private var hasContent = false
  private var noticeUntil: MonotonicInstant?
  private var standingUntil: MonotonicInstant?
  private var idleUntil: MonotonicInstant?
  private var text: Text?

  /// Creates a state machine for a display of this height in pixels.
  package init(height: Int) { rows = height / Glyph.height }

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
    if text?.kind == kind, text?.paragraphs == paragraphs { return }
    text = Text(
      kind: kind, paragraphs: paragraphs, pages: DisplayPage.pages(of: paragraphs, rows: rows), began: now)
  }

  private func selection(at now: MonotonicInstant) -> (Kind, [String])? {
    func isBefore(_ end: MonotonicInstant?) -> Bool { end.map { now < $0 } ?? false }
    if let question = content.question { return (.question(prompt: question.prompt), question.paragraphs) }
    if isBefore(noticeUntil), let notice = content.notice { return (.other, notice.paragraphs) }
    if isBefore(standingUntil), !content.standing.isEmpty { return (.other, content.standing) }
    return isBefore(idleUntil) ? (.other, content.idle) : nil
  }

  /// Returns the page to show at this instant; nil if the display is off. After the last page of a text, the first page
  /// is shown again.
  package func page(at now: MonotonicInstant) -> DisplayPage? {
    guard let text else { return nil }
    let shown: Duration = now - text.began
    var time = shown - pageTime(text) * passes(of: text, at: now)
    for page in text.pages {
      time -= Self.timePerLine * page.lines.count
      if time < .zero { return page }
    }
    return text.pages.last
  }

  /// Returns the identifier of the prompt (a question to the user) if all its pages were shown long enough to read;
  /// otherwise nil.
  package func readPrompt(at now: MonotonicInstant) -> Int? {
    guard let text, case .question(let prompt) = text.kind, passes(of: text, at: now) > 0 else { return nil }
    return prompt
  }

  /// Returns the time that is necessary to show all pages of a text once.
  private func pageTime(_ text: Text) -> Duration {
    text.pages.reduce(.zero) { $0 + Self.timePerLine * $1.lines.count }
  }

  /// Returns how many times all pages of a text were already shown.
  private func passes(of text: Text, at now: MonotonicInstant) -> Int {
    Int((now - text.began).milliseconds / max(1, pageTime(text).milliseconds))
  }
}
