import Base
import Configuration
import Features
import Hardware

/// The texts of the button labels and their lengths, for `onefixd check --labels`.
struct LabelList {
  private let labels: [(button: String, label: LabelText)]

  init(_ board: Board) {
    labels = board.buttons.flatMap { button in button.labels.map { (button.name, $0) } }
  }

  /// Whether at least one text is longer than its label.
  var hasExcess: Bool { labels.contains { $0.label.excess != nil } }

  var lines: [String] {
    guard !labels.isEmpty else { return ["no button has a label"] }
    let titles = ["BUTTON", "LANGUAGE", "NEEDS", "HAS", "LABEL"]
    let rows =
      [titles]
      + labels.map { button, label in
        let excess = label.excess.map { "  (\(Millimetres(atLeast: $0)) too long)" } ?? ""
        return [
          button, label.language?.rawValue ?? "all", LabelList.text(label.needed.map(Millimetres.init(atLeast:))),
          LabelList.text(label.available.map { Millimetres($0) }), label.text + excess,
        ]
      }
    // The last column needs no padding. It is the only column that can contain wide characters.
    let widths = titles.indices.dropLast().map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count + 2) }.joined() + row[titles.count - 1]
    }
  }

  var objects: [String] {
    labels.map { button, label in
      return JSONObject.text([
        "button": button, "language": label.language?.rawValue, "label": label.text,
        "needs-mm": label.needed.map { Millimetres(atLeast: $0).value }, "has-mm": label.available,
        "too-long": label.excess != nil,
      ])
    }
  }

  /// Returns a length in millimetres as text; a dash if the length is unknown.
  private static func text(_ length: Millimetres?) -> String { length.map { "\($0)" } ?? "-" }
}
