import Base

/// The sections of the screen of `onefix top`. A small screen shows only the selected section.
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

/// The rows of each section of the screen. The layout depends only on the screen size, the selected section and the
/// number of rows of the question, so that the layout changes rarely.
struct TopLayout: Sendable {
  /// The rows of the question of the open prompt. If no prompt is open, these rows show the waiting apps and the
  /// faults.
  let notice: Range<Int>
  /// The rows of the sky plot and the signal table; nil if the screen shows neither.
  private(set) var sky: Range<Int>?
  private(set) var lists: [(part: Part, rows: Range<Int>)] = []
  /// Whether the screen shows all sections: at least 20 rows and 60 columns.
  let isWhole: Bool

  /// The number of rows of the title and the state, which the screen always shows.
  static let head = 2

  init(_ size: ScreenSize, focus: Part, question: Int) {
    isWhole = size.rows >= 20 && size.columns >= 60
    // The last row of the screen is for key hints, messages and confirmations.
    let body = max(Self.head, size.rows - 1)
    let wanted = isWhole ? max(2, question) : max(size.rows >= 10 ? 1 : 0, question)
    let noticeEnd = min(body, Self.head + wanted)
    notice = min(Self.head, noticeEnd)..<noticeEnd
    guard isWhole else {
      if focus == .sky { sky = noticeEnd..<body } else if noticeEnd < body { lists = [(focus, noticeEnd..<body)] }
      return
    }
    // The height of the sky plot is odd, so that the zenith is in the middle row.
    let height = max(9, min(25, (body - noticeEnd) * 2 / 5)) | 1
    let skyEnd = min(body, noticeEnd + height)
    sky = noticeEnd..<skyEnd
    let listed: [Part] = [.apps, .sessions, .log]
    let room = body - skyEnd - listed.count
    guard room >= listed.count else {
      if skyEnd < body { lists = [(focus == .sky ? .apps : focus, skyEnd..<body)] }
      return
    }
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
