import Base
import Decoding
import Gateway
import Hardware
import LineProtocol
import OwnerScreens

/// Draws a simulated board at the top of a terminal: its indicator LED, button, receiver, and the newest log entries.
struct Panel {
  /// The count of log entries on the screen.
  static let entries = 4
  /// The height of the drawing, in rows.
  static let height = 11 + entries
  /// The minimum count of rows below the drawing, for the output that scrolls.
  private static let scrolling = 3
  /// The minimum width, in columns, at which a question is shown in full.
  private static let width = 80
  /// The minimum width of the drawing, in columns.
  private static let leastWidth = 40
  /// The count of segments in the bar that shows how long the button is held.
  private static let segments = 12

  /// The height of the terminal, in rows.
  let rows: Int
  let columns: Int
  let hasColours: Bool
  /// Whether the panel names the key `p`, after which each press adds a point to a file.
  var offersPoints = false

  var hasRoom: Bool { rows >= Self.height + Self.scrolling && columns >= Self.leastWidth }

  /// Whether the terminal has room for a whole question. A shortened name of an app could mislead the user.
  var showsQuestions: Bool { hasRoom && columns >= Self.width }

  /// Returns the message for a terminal that is too small for the drawing.
  func excuse(in language: Language) -> String {
    PanelPhrase.tooSmall.text(in: language, [.value: "\(Self.leastWidth) × \(Self.height + Self.scrolling)"])
  }

  /// Returns the rows of the drawing, with escape sequences for colours.
  func lines(_ snapshot: Snapshot) -> [String] {
    let formatter = TextFormatter(unwrapped: snapshot.language)
    let status = snapshot.status
    var rows = LabelledLines()
    rows.add(formatter.text(GatewayPhrase.light), light(snapshot, formatter))
    rows.add(formatter.text(PanelPhrase.button), button(snapshot, formatter))
    rows.add(formatter.text(ReceiverPhrase.receiver), receiver(snapshot, formatter))
    rows.add(formatter.text(GatewayPhrase.waiting), waiting(snapshot, formatter))
    rows.add(formatter.text(GatewayPhrase.lastPress), formatter.lastPress(status) ?? "–")
    let labelWidth = rows.pairs.map { Columns.width(of: $0.label) }.max() ?? 0
    let styles = [
      lightStyle(snapshot), nil, nil, snapshot.waiting.contains(where: \.isNext) ? "1" : nil, pressStyle(status),
    ]
    var lines = [bar("OneFix · \(status["gateway"] ?? "")", status["board"] ?? "")]
    for (index, (label, value)) in rows.pairs.enumerated() {
      let sign = index == 0 ? "\(lamp(snapshot))  " : ""
      let room = labelWidth + 4 + (index == 0 ? 3 : 0)
      lines.append(
        "  " + styled(Columns.padded(label, to: labelWidth), "2") + "  " + sign
          + styled(Columns.clipped(value, to: columns - room), styles[index]))
    }
    lines += question(snapshot, formatter)
    lines.append(rule("\(formatter.text(GatewayPhrase.log)) (UTC)"))
    let entries = formatter.rows(snapshot.log.compactMap { EntryMessage(json: $0.json) })
    for index in 0..<Self.entries {
      lines.append(index < entries.count ? "  " + Columns.clipped(text(entries[index]), to: columns - 2) : "")
    }
    lines.append(rule(""))
    return lines
  }

  // MARK: The board

  private func lamp(_ snapshot: Snapshot) -> String {
    let colour = snapshot.colour
    return snapshot.isLit ? styled("●", "38;2;\(colour.red);\(colour.green);\(colour.blue)") : styled("○", "2")
  }

  /// Returns the escape code for the colour of the text about the indicator LED; nil for no colour. Red means the kill
  /// switch or an unsaved change, yellow means a question, and green means the use of the location.
  private func lightStyle(_ snapshot: Snapshot) -> String? {
    if snapshot.isLocked || snapshot.indication == .notSaved { return "1;31" }
    switch snapshot.indication {
    case .prompt: return "1;33"
    case .inUse, .background: return "1;32"
    case .off, .acquiring, .locked, .nothingWaiting, .notSaved: return nil
    }
  }

  /// Returns the text about the indicator LED. The text includes the short signals after a press of the button, which
  /// the reply to the command `STATUS` leaves out.
  private func light(_ snapshot: Snapshot, _ formatter: TextFormatter) -> String {
    var fields = snapshot.status
    fields["indicator"] = snapshot.indication.rawValue
    return formatter.indicator(fields) ?? ""
  }

  private func button(_ snapshot: Snapshot, _ formatter: TextFormatter) -> String {
    guard let press = snapshot.press else {
      return formatter.text(PanelPhrase.up) + "   " + formatter.text(PanelPhrase.keys)
    }
    let (time, hold) = (min(press.time, press.hold), press.hold)
    let filled = Int(Double(Self.segments) * (time / hold))
    return formatter.text(PanelPhrase.down) + "   " + String(repeating: "▰", count: filled)
      + String(repeating: "▱", count: Self.segments - filled) + "  \(tenths(time)) / \(tenths(hold)) s"
  }

  private func tenths(_ time: Duration) -> String {
    let tenths = time.milliseconds / 100
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func receiver(_ snapshot: Snapshot, _ formatter: TextFormatter) -> String {
    let (condition, status) = (snapshot.receiver, snapshot.status)
    let parts = [
      formatter.receiverState(status), status["sats"].map { "\(formatter.text(ReceiverPhrase.satellites)) \($0)" },
      condition.hdop.map { "HDOP \($0)" }, status["source"],
    ]
    return formatter.list(
      parts.compactMap(\.self) + formatter.receiverFaults(status) + [condition.cause].compactMap(\.self))
  }

  private func waiting(_ snapshot: Snapshot, _ formatter: TextFormatter) -> String {
    if snapshot.waiting.isEmpty { return "–" }
    // The app of the next press comes first, so that the mark is not clipped.
    return (snapshot.waiting.filter(\.isNext) + snapshot.waiting.filter { !$0.isNext }).map { app in
      (app.isNext ? "▸ " : "")
        + formatter.title(app.app.name, isForEachPress: snapshot.status.eachPressApps.contains(app.app.name))
        + (app.purpose.map { ": " + formatter.text(GatewayPhrase.quotation, [.text: $0]) } ?? "")
    }.joined(separator: " · ")
  }

  /// Returns the escape code for the colour of the text about the last press of the button; nil for no colour. Green
  /// means that the press gave a fix or a permission, and yellow means no effect.
  private func pressStyle(_ status: ServerLine.Fields) -> String? {
    switch status["last-press"].flatMap({ PressPhrase(rawValue: $0) }) {
    case .served, .allowed: "32"
    case .acquiring, .asked, .kept, .denied, .locked, .unlocked, nil: nil
    case .noFix, .unconfirmed, .unanswered, .withdrawn, .tooEarly, .nothingWaiting, .paused, .otherButton, .repeated,
      .restricted, .whileLocked, .lightUnseen, .outputFull:
      "33"
    }
  }

  // MARK: The question

  /// Returns three rows: the question to the user, and the effects of a press and of a hold of the button. Without a
  /// question, the first row names the key that lets an app ask again, and the other rows show the outputs (such as
  /// MQTT brokers), after the key that adds an output.
  private func question(_ snapshot: Snapshot, _ formatter: TextFormatter) -> [String] {
    guard let question = snapshot.question else {
      let hint = formatter.text(PanelPhrase.askAgain, [.app: formatter.list(snapshot.paused)])
      let isShown = !snapshot.paused.isEmpty && !snapshot.isLocked
      let outputs =
        (offersPoints ? [formatter.text(PanelPhrase.points)] : [])
        + formatter.outputs(snapshot.status, areShort: true).map { "→ \($0)" }
      return [isShown ? styled("  " + Columns.clipped(hint, to: columns - 2), "1") : ""]
        + (outputs + ["", ""]).prefix(2).map { $0.isEmpty ? "" : "  " + Columns.clipped($0, to: columns - 2) }
    }
    let ways = question.ways.joined(separator: " ")
    let isOneLine = Columns.width(of: ways) <= max(Self.width, columns) - 4
    let left = formatter.text(GatewayPhrase.left, [.count: "\(question.left.secondsRoundedUp)"])
    let room = columns - Columns.width(of: left) - 5
    // The question has all columns, and the time follows only if it fits.
    let isTimed = Columns.width(of: question.text) <= room
    let asked = isTimed ? Columns.padded(question.text, to: room) + " " + left : question.text
    return [styled("  " + Columns.clipped(asked, to: columns - 2), "1;33")]
      + (isOneLine ? [ways, ""] : question.ways).map { "    " + Columns.clipped($0, to: columns - 4) }
  }

  // MARK: The log and the frame

  private func text(_ entry: (time: String, number: String, app: String, what: String)) -> String {
    [String(entry.time.dropFirst(11)), entry.number, entry.app, entry.what].filter { !$0.isEmpty }
      .joined(separator: "  ")
  }

  private func bar(_ left: String, _ right: String) -> String {
    let text = Columns.clipped("\(left) · \(right)", to: columns - 2)
    return "\u{1B}[7m " + Columns.padded(text, to: columns - 1) + "\u{1B}[0m"
  }

  private func rule(_ title: String) -> String {
    let start = title.isEmpty ? "" : "── \(title) "
    return styled(start + String(repeating: "─", count: max(0, columns - Columns.width(of: start))), "2")
  }

  private func styled(_ text: String, _ style: String?) -> String {
    style.map { hasColours || $0 == "2" ? "\u{1B}[\($0)m\(text)\u{1B}[0m" : text } ?? text
  }
}
