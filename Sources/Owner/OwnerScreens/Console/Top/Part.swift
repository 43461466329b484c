import Base

/// A section of the screen of `onefix top`. A small screen shows only the selected section.
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

/// The rows of each section of the screen of `onefix top`.
///
/// The rows depend only on the screen size, the selected section, the height of the question, and the counts of apps
/// and sessions. So the sections rarely move.
struct TopLayout: Sendable {
  /// The rows of the open question. Without a question, these rows show the waiting apps and the faults.
  let notice: Range<Int>
  /// The rows of the sky plot and of the table of signals; nil if the screen shows neither.
  private(set) var sky: Range<Int>?
  private(set) var lists: [(part: Part, rows: Range<Int>)] = []
  /// Whether the screen shows all sections, because it has at least 20 rows and 60 columns.
  let isWhole: Bool

  /// The count of rows for the title and the state, at the top of every screen.
  static let head = 2

  /// The sections that the screen has no room for.
  var hidden: [Part] {
    Part.allCases.filter { part in part == .sky ? sky == nil : !lists.contains { $0.part == part } }
  }

  /// - Parameters:
  ///   - size: The size of the screen.
  ///   - focus: The selected section.
  ///   - question: The count of rows of the open question; 0 if there is none.
  ///   - needs: The count of elements of each list whose rows are limited to this count.
  init(_ size: ScreenSize, focus: Part, question: Int, needs: [Part: Int] = [:]) {
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
    let large = focus == .sky ? .apps : focus
    var heights = listed.map { $0 == large ? room - others * (listed.count - 1) : others }
    // The log gets the rows that the other lists do not need.
    for (index, part) in listed.enumerated() where part != .log {
      let spare = max(0, heights[index] - max(1, needs[part] ?? heights[index]))
      heights[index] -= spare
      heights[heights.count - 1] += spare
    }
    var row = skyEnd
    for (part, room) in zip(listed, heights) {
      let height = 1 + room
      lists.append((part, row..<row + height))
      row += height
    }
  }
}
