import Base
import LineProtocol

/// The timeline of the report as SVG pictures. Each app has a horizontal lane; time runs from left to right.
struct ReportTimeline {
  /// The sizes of the pictures in SVG units. The left and right margins have space for half a label of the time axis.
  private static let (width, left, right, top, lane) = (960.0, 44.0, 44.0, 22.0, 44.0)
  private static let day: Int64 = 86_400_000_000_000

  private let report: PrivacyReport
  /// The beginning and the end of the timeline, in nanoseconds since 1970.
  private let (start, end): (Int64, Int64)

  init(_ report: PrivacyReport) {
    self.report = report
    // The timeline is at least ten minutes long, because a shorter timeline cannot show an event. The upper limit of a
    // hundred years prevents an overflow of Int64.
    end = min(report.to.nanosecondsSince1970, .max - 36_500 * Self.day)
    start = max(min(report.axisStart.nanosecondsSince1970, end - 600_000_000_000), end - 36_500 * Self.day)
  }

  /// The timeline as HTML: the time axis, and the name and the lane (horizontal strip) of each app. In a narrow window,
  /// the lanes scroll and the names stay.
  var html: String {
    let ticks = ticks
    var text = "<div class=\"wide newest\" tabindex=\"0\" role=\"region\" "
    text += "aria-label=\"\(report.escaped(ReportPhrase.timeline))\"><div class=\"lanes\">\n"
    text += Self.picture(height: Self.top, ticks.map(label).joined())
    for app in report.apps {
      let lane = Self.bar("lane", 0, 2, Self.width, Self.lane - 4) + "/>\n"
      let grid = ticks.map { line in
        let x = Self.number(x(line))
        return "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"\(Int(Self.lane))\"/>\n"
      }
      text += "<p>\(Markup.escaped(app.name))</p>\n"
      text += Self.picture(
        height: Self.lane, lane + grid.joined() + intervals(app) + answers(app) + borders(app) + fixes(app))
    }
    return text + "</div></div>"
  }

  private static func picture(height: Double, _ contents: String) -> String {
    "<svg viewBox=\"0 0 \(Int(width)) \(Int(height))\">\n\(contents)</svg>\n"
  }

  private func x(_ nanoseconds: Int64) -> Double {
    let part = Double(min(max(nanoseconds, start), end) - start) / Double(end - start)
    return Self.left + part * (Self.width - Self.left - Self.right)
  }

  // MARK: Parts

  /// The times with a label on the axis, in nanoseconds since 1970.
  private var ticks: [Int64] {
    var tick = (start / step + 1) * step
    var ticks: [Int64] = []
    while tick <= end {
      ticks.append(tick)
      tick += step
    }
    return ticks
  }

  private var step: Int64 {
    let minute: Int64 = 60_000_000_000
    let steps =
      [1, 10, 60, 180, 720].map { $0 * minute } + [1, 2, 7, 14, 30, 60, 180, 365, 3650].map { $0 * Self.day }
    return steps.first { (end - start) / $0 <= 10 } ?? Self.day * 3650
  }

  private func label(_ tick: Int64) -> String {
    let iso = UTCTime(nanosecondsSince1970: tick).iso8601
    let label = step < Self.day ? "\(iso.dropFirst(5).prefix(5)) \(iso.dropFirst(11).prefix(5))" : "\(iso.prefix(10))"
    return "<text class=\"axis\" text-anchor=\"middle\" x=\"\(Self.number(x(tick)))\" y=\"14\">\(label)</text>\n"
  }

  private func intervals(_ app: PrivacyReport.App) -> String {
    app.intervals.reduce(into: "") { text, interval in
      let from = x(interval.start.nanosecondsSince1970)
      let to = interval.end.map { x($0.nanosecondsSince1970) } ?? x(end)
      let what = report.times(interval.count, report.text(ReportPhrase.followed))
      let until = interval.end.map(TextFormatter.minute) ?? ""
      let accuracy = report.formatter.accuracy(interval.accuracy.rawValue)
      let parts = [
        what, "\(TextFormatter.minute(interval.start)) – \(until)",
        interval.fixes.map { report.times($0, accuracy) } ?? accuracy,
      ]
      text += Self.bar("use", from, 11, max(3, to - from), 8) + " rx=\"4\">" + title(parts) + "</rect>\n"
    }
  }

  /// Returns bars for the requests that ended without a fix, as SVG elements at the lower edge of the row of the app.
  ///
  /// Each bar is for one hour. In a timeline of three days or more, and for counts of a whole day, a bar is for one
  /// day. Only the part inside the timeline is drawn.
  private func answers(_ app: PrivacyReport.App) -> String {
    let periods = Dictionary(grouping: app.answers) { answers in
      var period = answers
      (period.answer, period.count) = ("", 0)
      if !report.countsHours { period.hour = nil }
      return period
    }
    let bars = periods.compactMap { period, answers in
      period.start.map {
        (period: period, start: $0.nanosecondsSince1970, app: PrivacyReport.App(name: "", answers: answers))
      }
    }.sorted { ($0.start, $0.period.hour ?? -1) < ($1.start, $1.period.hour ?? -1) }
    let most = bars.map(\.app.requests).max() ?? 1
    return bars.reduce(into: "") { text, bar in
      let begin = min(bar.start, end)
      let (from, to) = (x(begin), x(begin + (bar.period.hour == nil ? Self.day : Self.day / 24)))
      let height = max(2, 14 * Double(bar.app.requests) / Double(most))
      text += Self.bar("no", from, Self.lane - 3 - height, max(3, to - from - 1), height) + ">"
      let hour = bar.period.hour.map { " \($0):00–\($0 + 1):00" } ?? ""
      text += title([bar.period.day + hour, report.formatter.list(report.refusals(of: bar.app))]) + "</rect>\n"
    }
  }

  private func borders(_ app: PrivacyReport.App) -> String {
    app.borders.reduce(into: "") { text, border in
      text += Self.bar("border", x(border.time.nanosecondsSince1970) - 1.5, 7, 3, 16) + ">"
      text += title([report.times(border.count, report.text(ReportPhrase.border)), range(border.time, border.last)])
      text += "</rect>\n"
    }
  }

  /// Returns the dots for fixes. Fixes that are close together share one larger dot.
  private func fixes(_ app: PrivacyReport.App) -> String {
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
      let sign =
        switch group.accuracy {
        case .full: "precise"
        case .reduced: "rough"
        case .place: "named"
        }
      let what = report.times(count, report.formatter.accuracy(group.accuracy.rawValue))
      text += "<circle class=\"\(sign)\" cx=\"\(Self.number(middle))\" cy=\"15\" r=\"\(Self.number(radius))\">"
      text += title(
        [what, range(first.time, last)] + (group.fixes.count == 1 ? [report.outcome(first.outcome)] : []))
      text += "</circle>\n"
    }
  }

  private func range(_ first: UTCTime, _ last: UTCTime) -> String {
    let (first, last) = (TextFormatter.minute(first), TextFormatter.minute(last))
    return first == last ? first : "\(first) – \(last)"
  }

  private func title(_ parts: [String]) -> String {
    "<title>\(Markup.escaped(parts.joined(separator: " · ")))</title>"
  }

  /// Returns the beginning of an SVG rectangle, to which the caller can add attributes and contents.
  private static func bar(_ name: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String {
    "<rect class=\"\(name)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
  }

  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }
}
