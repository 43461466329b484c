import Authorization
import Base
import GNSS
import Gateway
import Hardware
import LineProtocol
import ReceiverStream
import StateStore

/// Draws the simulated board as a panel at the top of a terminal.
struct Panel {
  /// The number of log entries in the panel.
  static let entries = 4
  /// The height of the panel in rows of the terminal. The rows below the panel scroll.
  static let height = 10 + entries

  /// The minimum width in columns at which the panel shows a question completely.
  static let width = 80

  /// The width of the terminal in columns.
  let columns: Int

  /// Returns the rows of the panel, with escape sequences for colours.
  func lines(_ snapshot: Snapshot) -> [String] {
    var lines = [bar("OneFix · \(snapshot.gateway)", "board \(snapshot.board)"), ""]
    lines.append("  LED       " + indicator(snapshot))
    let keys = "space press · h hold · q quit"
    lines.append("  button    " + (snapshot.isButtonDown ? "[▪ down ▪]  " : "[  up    ]  ") + dim(keys))
    lines.append("  receiver  " + clip(receiver(snapshot), 12))
    lines.append("  waiting   " + clip(waiting(snapshot), 12))
    lines.append("  question  " + clip(snapshot.question?.text ?? "–", 12))
    let ways = snapshot.question?.ways ?? []
    let isOneLine = Columns.width(of: ways.joined(separator: " ")) <= max(Self.width, columns) - 12
    let waysLines = isOneLine ? [ways.joined(separator: " "), ""] : ways
    for line in waysLines { lines.append(line.isEmpty ? "" : "            " + clip(line, 12)) }
    lines.append("  " + dim("disclosure log"))
    for index in 0..<Self.entries {
      lines.append("  " + (index < snapshot.log.count ? clip(entry(snapshot.log[index]), 2) : ""))
    }
    return lines
  }

  private func indicator(_ snapshot: Snapshot) -> String {
    let colour = snapshot.colour
    let lit = "\u{1B}[38;2;\(colour.red);\(colour.green);\(colour.blue)m●\u{1B}[0m"
    let name = snapshot.isLocked && snapshot.indication == .off ? "locked" : snapshot.indication.rawValue
    return (snapshot.isLit ? lit : dim("○")) + "  \(name)"
  }

  private func receiver(_ snapshot: Snapshot) -> String {
    let condition = snapshot.receiver
    var parts = [condition.state.rawValue]
    if let mode = condition.mode { parts.append(mode == .threeDimensional ? "3D" : "2D") }
    if let satellites = condition.satellitesUsed { parts.append("\(satellites) satellites") }
    if let hdop = condition.hdop { parts.append("HDOP \(hdop)") }
    if condition.isDateCorrected { parts.append("date corrected") }
    if let suspicion = condition.signals.suspicion { parts.append("suspect: \(suspicion.rawValue)") }
    if let cause = condition.cause { parts.append(cause) }
    return parts.joined(separator: " · ") + "  (\(snapshot.receiverName))"
  }

  private func waiting(_ snapshot: Snapshot) -> String {
    if snapshot.waiting.isEmpty { return "–" }
    // The app of the next press comes first, so that the mark is not clipped.
    return (snapshot.waiting.filter(\.isNext) + snapshot.waiting.filter { !$0.isNext }).map { app in
      (app.isNext ? "▸ " : "") + "\(app.app)" + (app.purpose.map { ": “\($0)”" } ?? "")
    }.joined(separator: " · ")
  }

  private func entry(_ entry: LogEntry) -> String {
    let time = entry.time.iso8601.dropFirst(11).prefix(8)
    let text =
      switch entry.event {
      case .disclosure(let disclosure):
        "\(disclosure.app) received one \(disclosure.accuracy.rawValue) fix by \(disclosure.right.rawValue) "
          + "over \(disclosure.transport)"
      case .interval(let disclosure):
        "\(disclosure.app) receives \(disclosure.accuracy.rawValue) fixes from now on by \(disclosure.right.rawValue) "
          + "over \(disclosure.transport)"
      case .end(let end, let fixes, let number):
        "of #\(number): \(end.rawValue)" + (fixes.map { " after \($0) fixes" } ?? "")
      case .answer(let answer):
        "\(answer.app): answered \(answer.choice.rawValue) by \(answer.way.name)"
          + (answer.purpose.map { " to “\($0)”" } ?? "")
      case .outcome(let outcome, let number): "of #\(number): \(outcome.rawValue)"
      }
    return "\(time)  #\(entry.sequence)  \(text)"
  }

  private func bar(_ left: String, _ right: String) -> String {
    let space = max(1, columns - Columns.width(of: left + right) - 2)
    return "\u{1B}[7m " + left + String(repeating: " ", count: space) + right + " \u{1B}[0m"
  }

  private func dim(_ text: String) -> String { "\u{1B}[2m\(text)\u{1B}[0m" }

  private func clip(_ text: String, _ indent: Int) -> String {
    Columns.clipped(text, to: columns - indent)
  }
}
