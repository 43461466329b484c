import Base

/// A section of the screen of the terminal program `onefix top`. A small screen shows only the selected section.
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

/// The rows of each section of the screen of the terminal program `onefix top`.
///
/// The rows depend on the screen size, the selected section, the height of the question, and the counts of apps and
/// sessions. Other changes do not move the sections.
struct TopLayout: Sendable {
  /// The rows for the open question. If no question is open, these rows show the waiting apps and the faults.
  let notice: Range<Int>
  /// The rows for the plot and the table of the satellites; nil if the screen does not show the section `sky`.
  private(set) var sky: Range<Int>?
  private(set) var lists: [(part: Part, rows: Range<Int>)] = []
  /// Whether the screen is large enough for all sections: at least 20 rows and 60 columns.
  let isWhole: Bool

  /// The count of rows at the top of the screen for the title and the state of the gateway.
  static let head = 2

  /// The sections that the screen does not show, because the screen is too small.
  var hidden: [Part] {
    Part.allCases.filter { part in part == .sky ? sky == nil : !lists.contains { $0.part == part } }
  }

  /// Divides the rows of the screen between the sections.
  /// - Parameters:
  ///   - size: The size of the screen.
  ///   - focus: The selected section.
  ///   - question: The count of rows of the open question; 0 if no question is open.
  ///   - needs: The count of elements of a list, by section. A list in `needs` gets no unused rows.
  init(_ size: ScreenSize, focus: Part, question: Int, needs: [Part: Int]) {
    isWhole = size.rows >= 20 && size.columns >= 60
    // The last row of the screen is for key hints, messages and confirmations.
    let body = max(Self.head, size.rows - 1)
    let wanted = isWhole ? max(2, question) : max(size.rows >= 10 ? 1 : 0, question)
    let noticeEnd = min(body, Self.head + wanted)
    notice = min(Self.head, noticeEnd)..<noticeEnd
    guard isWhole else {
      if focus == .sky {
        sky = noticeEnd..<body
      } else if noticeEnd < body {
        // A row is the heading. The log gets the rows that the selected list does not need, with a heading of its own.
        let end = min(body, noticeEnd + 1 + max(1, needs[focus] ?? body))
        let isShared = focus != .log && body - end >= 2
        lists = [(focus, noticeEnd..<(isShared ? end : body))]
        if isShared { lists.append((.log, end..<body)) }
      }
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
