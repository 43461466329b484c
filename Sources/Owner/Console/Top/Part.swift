import Languages

/// What the screen consists of: all of it where there is room, else the part that was chosen.
enum Part: Int, CaseIterable, Hashable, Sendable {
  case apps
  case sessions
  case log
  case sky

  func title(in language: Language) -> String {
    switch self {
    case .apps: TopPhrase.apps.text(in: language)
    case .sessions: AppPhrase.sessions.text(in: language)
    case .log: GatewayPhrase.log.text(in: language)
    case .sky: TopPhrase.sky.text(in: language)
    }
  }
}

/// Where everything is on a screen of some size. It depends on nothing else but how long a question is, so that little
/// moves.
struct TopLayout: Sendable {
  /// What there is to say to the person: a question, or else who waits and what is wrong.
  let notice: Range<Int>
  /// With the sky beside the signals; nil where it is not shown.
  private(set) var sky: Range<Int>?
  /// Each with a row for its title.
  private(set) var lists: [(part: Part, rows: Range<Int>)] = []
  /// Whether all parts are shown.
  let isWhole: Bool

  /// Title and state come before everything.
  static let head = 2

  /// - Parameter question: rows that a question takes; 0 where there is none.
  init(_ size: ScreenSize, focus: Part, question: Int) {
    isWhole = size.rows >= 20 && size.columns >= 60
    // The last row has hints, messages and questions of the screen itself.
    let body = max(Self.head, size.rows - 1)
    let wanted = isWhole ? max(2, question) : max(size.rows >= 10 ? 1 : 0, question)
    let noticeEnd = min(body, Self.head + wanted)
    notice = min(Self.head, noticeEnd)..<noticeEnd
    guard isWhole else {
      if focus == .sky { sky = noticeEnd..<body } else if noticeEnd < body { lists = [(focus, noticeEnd..<body)] }
      return
    }
    // Odd, so that there is a row for the zenith.
    let height = max(9, min(25, (body - noticeEnd) * 2 / 5)) | 1
    let skyEnd = min(body, noticeEnd + height)
    sky = noticeEnd..<skyEnd
    let listed: [Part] = [.apps, .sessions, .log]
    let room = body - skyEnd - listed.count
    guard room >= listed.count else {
      if skyEnd < body { lists = [(focus == .sky ? .apps : focus, skyEnd..<body)] }
      return
    }
    // Whoever has been chosen has most of it.
    let others = max(1, room / 5)
    var row = skyEnd
    for part in listed {
      let isLarge = part == (focus == .sky ? .apps : focus)
      let height = 1 + (isLarge ? room - others * (listed.count - 1) : others)
      lists.append((part, row..<row + height))
      row += height
    }
  }
}
