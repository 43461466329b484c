import Base

/// Formats the report as one HTML file, without scripts and without links to other files.
extension PrivacyReport {
  package var page: String {
    """
    <!DOCTYPE html>
    <html lang="\(language.rawValue)">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="viewport" content="width=device-width">
    <meta name="referrer" content="no-referrer">
    <title>\(escaped(ReportPhrase.title, [.text: gateway]))</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    \(body(heading: 1))
    </body>
    </html>
    """
  }

  /// Returns the report as HTML elements, without a style sheet, to be included in another page.
  /// - Parameter level: The level of the heading, 1 to 6.
  package func body(heading level: Int) -> String {
    """
    <h\(level)>\(escaped(ReportPhrase.requests, [.text: gateway]))</h\(level)>
    <p class="dim">\(escaped(ReportPhrase.range, [.time: TextFormatter.minute(from), .value: TextFormatter.minute(to)]))
    \(escaped(ReportPhrase.noPositions))</p>
    <p class="\(isLogGood ? "dim" : "bad")">\(escaped(ReportPhrase.log, [.value: logState]))</p>
    \(notices.map { "<p class=\"dim\">\(Markup.escaped($0))</p>\n" }.joined())\
    \(apps.isEmpty ? "<p>\(escaped(ReportPhrase.noApps))</p>" : timeline + table + consents)
    """
  }

  func escaped(_ phrase: some Phrase, _ values: [Placeholder: String] = [:]) -> String {
    Markup.escaped(text(phrase, values))
  }

  /// The style sheet of the report, for light and dark mode.
  package static let style = """
    :root {
      color-scheme: light dark;
      --paper: #fcfcfb; --ink: #1d1d1b; --dim: #66645f; --line: #dddbd5; --lane: #f3f2ee;
      --precise: #0b6e4f; --rough: #0b6e4f; --use: #4f8d78; --no: #b3541e; --bad: #a8201a;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #191a1b; --ink: #ecebe6; --dim: #a3a19a; --line: #3a3b3d; --lane: #222426;
        --precise: #5fd0a5; --rough: #5fd0a5; --use: #3f8f74; --no: #f0945a; --bad: #ff8078;
      }
    }
    body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto;
      max-width: 62rem; padding: 0 1rem; }
    h1 { font-size: 1.4rem; margin: 0; }
    p { margin: .3rem 0; }
    .dim { color: var(--dim); }
    .bad { color: var(--bad); font-weight: 600; }
    table { border-collapse: collapse; width: 100%; }
    th, td { border-bottom: 1px solid var(--line); padding: .4rem .8rem .4rem 0; text-align: left; vertical-align: top; }
    th { font-weight: 600; }
    .time, tbody th { white-space: nowrap; }
    .wide > table { min-width: 44rem; }
    .wide { overflow-x: auto; margin-top: 1.5rem; }
    /* A narrow window shows the newest end first. */
    .newest { direction: rtl;
      /* A time that the left edge cuts fades. The axis is 22 pixels high. */
      mask: linear-gradient(90deg, #0000, #000 1rem) top / 100% 22px no-repeat,
        linear-gradient(#000, #000) bottom / 100% calc(100% - 22px) no-repeat; }
    /* The mask hides an outline outside the element. */
    .newest:focus-visible { outline-offset: -3px; }
    .lanes { direction: ltr; min-width: 60rem; }
    .lanes p { left: 0; margin: .4rem 0 0; position: sticky; width: max-content; max-width: 100%; }
    .lanes svg { display: block; width: 100%; }
    .signs { display: flex; flex-wrap: wrap; gap: 0 1.2rem; }
    svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
    svg .axis { fill: var(--dim); font-size: 11px; }
    .lane { fill: var(--lane); } .grid { stroke: var(--line); stroke-width: 1; }
    .precise { fill: var(--precise); } .rough { fill: var(--paper); stroke: var(--rough); stroke-width: 2; }
    .named { fill: var(--paper); stroke: var(--rough); stroke-width: 2; stroke-dasharray: 2 2; }
    .use, .border { fill: var(--use); } .no { fill: var(--no); }
    /* In a narrow window each cell is a line with its heading, so that nothing is beyond the edge. */
    @media (max-width: 30rem) {
      .wide > .report { min-width: 0; }
      .report thead { clip-path: inset(50%); display: block; height: 1px; overflow: hidden; position: absolute;
        width: 1px; }
      .report tr { border-bottom: 1px solid var(--line); display: block; padding: .4rem 0; }
      .report th, .report td { border: 0; display: block; padding: 0; }
      .report td:empty { display: none; }
      .report td { display: grid; gap: .8rem; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
        overflow-wrap: anywhere; white-space: normal; }
      .report td::before { color: var(--dim); content: attr(data-head); }
    }
    .sign { display: inline; vertical-align: -.15em; width: 1em; }
    """

  private var timeline: String {
    let signs = [
      (#"<circle class="precise" cx="8" cy="8" r="5"/>"#, escaped(AccuracyPhrase.full)),
      (#"<circle class="rough" cx="8" cy="8" r="4"/>"#, escaped(AccuracyPhrase.reduced)),
      (#"<circle class="named" cx="8" cy="8" r="4"/>"#, escaped(AccuracyPhrase.place)),
      (#"<rect class="use" x="1" y="5" width="14" height="6" rx="3"/>"#, escaped(ReportPhrase.followed)),
      (#"<rect class="border" x="6" y="2" width="3" height="12"/>"#, escaped(ReportPhrase.border)),
      (
        #"<rect class="no" x="1" y="4" width="14" height="8"/>"#,
        escaped(countsHours ? ReportPhrase.noFixOfHour : .noFixOfDay)
      ),
    ]
    return """
      \(ReportTimeline(self).html)
      <p class="dim signs">
      \(signs.map { #"<span><svg class="sign" viewBox="0 0 16 16" aria-hidden="true">\#($0.0)</svg> \#($0.1)</span>"# }.joined(separator: "\n"))
      </p>

      """
  }

  private var table: String {
    let rows = apps.map { app in
      [
        app.name, "\(app.requests)", formatter.list(given(to: app)), formatter.list(transports(of: app)),
        formatter.list(outcomes(of: app)), formatter.list(refusals(of: app)),
        app.last.map(TextFormatter.minute) ?? text(ReportPhrase.never),
      ]
    }
    let heads =
      [text(AppPhrase.app)]
      + [ReportPhrase.asked, .given, .transport, .outcome, .notGiven, .lastGiven].map { text($0) }
    return Self.table(heads, rows, time: 6)
  }

  /// Returns an HTML table without the columns that are empty in all rows. The first cell of each row is its heading.
  /// - Parameters:
  ///   - heads: The headings of the columns.
  ///   - rows: The cells of each row.
  ///   - time: The index of the column that has times.
  private static func table(_ heads: [String], _ rows: [[String]], time: Int) -> String {
    let columns = heads.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    let body = rows.map { row in
      "<tr><th scope=\"row\">\(Markup.escaped(row[0]))</th>"
        + columns.dropFirst().map { column in
          "<td data-head=\"\(Markup.escaped(heads[column]))\"\(column == time ? #" class="time""# : "")>"
            + "\(Markup.escaped(row[column]))</td>"
        }.joined() + "</tr>\n"
    }
    let head = columns.map { "<th scope=\"col\">\(Markup.escaped(heads[$0]))</th>" }.joined()
    return "<div class=\"wide\">\n<table class=\"report\">\n<thead><tr>\(head)"
      + "</tr></thead>\n<tbody>\n\(body.joined())</tbody>\n</table>\n</div>"
  }

  /// The answers to prompts (questions to the user), and the ends of authorizations with a time limit, as an HTML
  /// table, newest first.
  private var consents: String {
    let all = apps.flatMap { app in app.consents.map { (app: app, consent: $0) } }
      .sorted { $0.consent.time > $1.consent.time }
    if all.isEmpty { return "" }
    return "\n" + Self.table(consentHeadings, all.map { cells($0.consent, of: $0.app) }, time: 1)
  }
}
