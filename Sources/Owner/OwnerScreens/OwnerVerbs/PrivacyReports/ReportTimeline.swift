import Base
import LineProtocol

/// The timeline of the report as an SVG picture. Each app has a horizontal strip (lane). Time runs from left to right.
struct ReportTimeline {
  /// Sizes in units of the SVG picture. The browser scales the picture with the page.
  private static let (width, labels, right, top, lane) = (960.0, 150.0, 24.0, 28.0, 52.0)
  private static let day: Int64 = 86_400_000_000_000

  private let report: PrivacyReport
  /// The limits of the timeline, in nanoseconds since 1970.
  private let (start, end): (Int64, Int64)

  init(_ report: PrivacyReport) {
    self.report = report
    // The timeline is at least an hour long, because a shorter timeline cannot show an event. The upper limit of a
    // hundred years prevents an overflow of Int64.
    end = min(report.to.nanosecondsSince1970, .max - 36_500 * Self.day)
    start = max(min(report.from.nanosecondsSince1970, end - 3_600_000_000_000), end - 36_500 * Self.day)
  }

  var svg: String {
    let height = Self.top + Double(report.apps.count) * Self.lane + 8
    var text = "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(height))\" role=\"img\" "
    text += "aria-label=\"Timeline of the requests of each app and their results\">\n"
    for (index, app) in report.apps.enumerated() {
      let y = Self.top + Double(index) * Self.lane
      text += Self.bar("lane", Self.labels, y + 2, Self.width - Self.labels - Self.right, Self.lane - 4) + "/>\n"
      let name = app.name.count > 20 ? app.name.prefix(19) + "…" : app.name[...]
      text += "<text x=\"0\" y=\"\(Self.number(y + Self.lane / 2 + 4))\">\(Markup.escaped(String(name)))"
      text += "<title>\(Markup.escaped(app.name))</title></text>\n"
    }
    text += axis(height)
    for (index, app) in report.apps.enumerated() {
      let y = Self.top + Double(index) * Self.lane
      text += intervals(app, y) + answers(app, y) + borders(app, y) + fixes(app, y)
    }
    return text + "</svg>"
  }

  private func x(_ nanoseconds: Int64) -> Double {
    let part = Double(min(max(nanoseconds, start), end) - start) / Double(end - start)
    return Self.labels + part * (Self.width - Self.labels - Self.right)
  }

  // MARK: Parts

  private func axis(_ height: Double) -> String {
    let hour: Int64 = 3_600_000_000_000
    let steps = [hour / 6, hour, 3 * hour, 12 * hour] + [1, 2, 7, 14, 30, 60, 180, 365, 3650].map { $0 * Self.day }
    let step: Int64 = steps.first { (end - start) / $0 <= 10 } ?? Self.day * 3650
    var text = ""
    var tick = (start / step + 1) * step
    while tick <= end {
      let iso = UTCTime(nanosecondsSince1970: tick).iso8601
      let label = step < Self.day ? "\(iso.dropFirst(5).prefix(5)) \(iso.dropFirst(11).prefix(5))" : "\(iso.prefix(10))"
      let position = Self.number(x(tick))
      text +=
        "<line class=\"grid\" x1=\"\(position)\" x2=\"\(position)\" y1=\"\(Int(Self.top) - 6)\" "
        + "y2=\"\(Int(height))\"/>\n"
      text += "<text class=\"axis\" text-anchor=\"middle\" x=\"\(position)\" y=\"14\">\(label)</text>\n"
      tick += step
    }
    return text
  }

  private func intervals(_ app: PrivacyReport.App, _ y: Double) -> String {
    app.intervals.reduce(into: "") { text, interval in
      let from = x(interval.start.nanosecondsSince1970)
      let to = interval.end.map { x($0.nanosecondsSince1970) } ?? x(end)
      let width = max(3, to - from)
      let what =
        switch interval.accuracy {
        case .full: "followed"
        case .reduced: "followed, approximately,"
        case .place: "followed, by names of places,"
        }
      let until = interval.end.map { "to \(PrivacyReport.minute($0))" } ?? "and still is"
      text += Self.bar("use", from, y + 13, width, 8) + " rx=\"4\"><title>\(what) "
      text += (interval.count == 1 ? "" : "\(interval.count) times ") + "from "
      text += "\(PrivacyReport.minute(interval.start)) \(until)"
      text += (interval.fixes.map { ", \(PrivacyReport.plural($0, "fix", "fixes"))" } ?? "") + "</title></rect>\n"
    }
  }

  /// Returns a bar for each day on which requests ended without a fix. The bars stand on the lower edge of the lane.
  private func answers(_ app: PrivacyReport.App, _ y: Double) -> String {
    let days = Dictionary(grouping: app.answers, by: \.day).sorted { $0.key < $1.key }
    let most = days.map { $0.value.reduce(0) { $0 + $1.count } }.max() ?? 1
    return days.reduce(into: "") { text, day in
      guard let time = UTCTime(iso8601: day.key + "T00:00:00Z") else { return }
      let begin = min(time.nanosecondsSince1970, end)
      let count = day.value.reduce(0) { $0 + $1.count }
      let (from, to) = (x(begin), x(begin + Self.day))
      let width = max(3, min(to - from - 1, 24))
      let height = max(2, 16 * Double(count) / Double(most))
      let what = day.value.map { "\($0.count) × \(PrivacyReport.words($0.answer))" }.joined(separator: ", ")
      text += Self.bar("no", (from + to - width) / 2, y + Self.lane - 4 - height, width, height)
      text += "><title>\(day.key): \(Markup.escaped(what))</title></rect>\n"
    }
  }

  private func borders(_ app: PrivacyReport.App, _ y: Double) -> String {
    app.borders.reduce(into: "") { text, border in
      text += Self.bar("border", x(border.time.nanosecondsSince1970) - 1.5, y + 9, 3, 16) + "><title>notified of "
      text +=
        border.count == 1
        ? "a region border, \(PrivacyReport.minute(border.time))"
        : "\(border.count) region borders, \(PrivacyReport.minute(border.time)) to \(PrivacyReport.minute(border.last))"
      text += "</title></rect>\n"
    }
  }

  /// Returns the dots for the fixes. Fixes whose dots would overlap share one larger dot.
  private func fixes(_ app: PrivacyReport.App, _ y: Double) -> String {
    var groups: [(bucket: Int, accuracy: FixAccuracy, fixes: [PrivacyReport.Fix])] = []
    for accuracy in FixAccuracy.allCases {
      let kind = app.fixes.filter { $0.accuracy == accuracy }
      let buckets = Dictionary(grouping: kind) { Int(x($0.time.nanosecondsSince1970) / 6) }
      groups += buckets.sorted { $0.key < $1.key }.map { ($0.key, accuracy, $0.value) }
    }
    return groups.reduce(into: "") { text, group in
      guard let first = group.fixes.first, let last = group.fixes.map(\.last).max() else { return }
      let count = group.fixes.reduce(0) { $0 + $1.count }
      let middle = (x(first.time.nanosecondsSince1970) + x(last.nanosecondsSince1970)) / 2
      let radius = min(9, 3.5 + Double(count).squareRoot())
      let (kind, sign) =
        switch group.accuracy {
        case .full: ("precise", "precise")
        case .reduced: ("approximate", "rough")
        case .place: ("place-name", "named")
        }
      let what =
        count == 1
        ? "\(kind) fix, \(PrivacyReport.minute(first.time)), \(first.outcome ?? "open")"
        : "\(count) \(kind) fixes, \(PrivacyReport.minute(first.time)) to \(PrivacyReport.minute(last))"
      text += "<circle class=\"\(sign)\" cx=\"\(Self.number(middle))\" "
      text += "cy=\"\(Self.number(y + 17))\" r=\"\(Self.number(radius))\">"
      text += "<title>\(Markup.escaped(what))</title></circle>\n"
    }
  }

  /// Returns the beginning of a rectangle, without the end of its tag.
  private static func bar(_ name: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String {
    "<rect class=\"\(name)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
  }

  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }
}
