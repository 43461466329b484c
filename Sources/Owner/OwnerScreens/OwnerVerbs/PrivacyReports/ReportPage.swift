import Base

/// Formats the report as an HTML file without scripts and external resources.
extension PrivacyReport {
  package var page: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="viewport" content="width=device-width">
    <meta name="referrer" content="no-referrer">
    <title>Privacy report of \(Markup.escaped(gateway))</title>
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

  /// Returns the content of the page without script and style, for use in a different page.
  /// - Parameter level: the level of the heading, 1 to 6.
  package func body(heading level: Int) -> String {
    """
    <h\(level)>Location requests to \(Markup.escaped(gateway))</h\(level)>
    <p class="dim">\(Self.minute(from)) to \(Self.minute(to)), UTC. The log and this report contain no positions.</p>
    <p class="\(isLogGood ? "dim" : "bad")">Log \(Markup.escaped(logState)).</p>
    \(notices.map { "<p class=\"dim\">\(Markup.escaped($0)).</p>\n" }.joined())\
    \(apps.isEmpty ? "<p>No app has asked for the location.</p>" : timeline + table + consents)
    """
  }

  /// The style sheet with a light and a dark colour scheme.
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
    .wide { overflow-x: auto; margin-top: 1.5rem; }
    svg { display: block; min-width: 40rem; width: 100%; }
    svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
    svg .axis { fill: var(--dim); font-size: 11px; }
    .lane { fill: var(--lane); } .grid { stroke: var(--line); stroke-width: 1; }
    .precise { fill: var(--precise); } .rough { fill: var(--paper); stroke: var(--rough); stroke-width: 2; }
    .named { fill: var(--paper); stroke: var(--rough); stroke-width: 2; stroke-dasharray: 2 2; }
    .use, .border { fill: var(--use); } .no { fill: var(--no); }
    .sign { display: inline; min-width: 0; vertical-align: -.15em; width: 1em; }
    """

  private var timeline: String {
    """
    <div class="wide">
    \(ReportTimeline(self).svg)
    </div>
    <p class="dim">
    \(Self.sign(#"<circle class="precise" cx="8" cy="8" r="5"/>"#)) precise fix &ensp;
    \(Self.sign(#"<circle class="rough" cx="8" cy="8" r="4"/>"#)) approximate fix &ensp;
    \(Self.sign(#"<circle class="named" cx="8" cy="8" r="4"/>"#)) place name &ensp;
    \(Self.sign(#"<rect class="use" x="1" y="5" width="14" height="6" rx="3"/>"#)) followed for a while &ensp;
    \(Self.sign(#"<rect class="border" x="6" y="2" width="3" height="12"/>"#)) notified of a region border &ensp;
    \(Self.sign(#"<rect class="no" x="4" y="2" width="8" height="12"/>"#)) requests without a fix, per day
    </p>

    """
  }

  private static func sign(_ shape: String) -> String {
    #"<svg class="sign" viewBox="0 0 16 16" aria-hidden="true">\#(shape)</svg>"#
  }

  private var table: String {
    let rows = apps.map { app in
      var given = app.fixes.isEmpty ? "" : app.accuracies
      if !app.borders.isEmpty {
        given += (given.isEmpty ? "" : "; ") + "notified of \(Self.plural(app.borderCount, "region border"))"
      }
      if !app.intervals.isEmpty {
        if !given.isEmpty { given += "; " }
        given += "followed \(following(app.intervals))"
      }
      let outcomes = app.outcomeCounts.map { "\($0.count) \($0.outcome)" }.joined(separator: ", ")
      let answers = app.answerCounts.map { "\($0.count) × \(Self.words($0.answer))" }.joined(separator: ", ")
      let cells = ["\(app.requests)", given, outcomes, answers, app.last.map(Self.minute) ?? "never"]
      return [app.name] + cells
    }
    return Self.table(["App", "Asked", "Given", "Outcome", "Not given", "Last given"], rows)
  }

  /// Returns a table as HTML. The first cell of each row is its heading.
  private static func table(_ heads: [String], _ rows: [[String]]) -> String {
    let body = rows.map { row in
      "<tr><th scope=\"row\">\(Markup.escaped(row[0]))</th>"
        + row.dropFirst().map { "<td>\(Markup.escaped($0))</td>" }.joined() + "</tr>\n"
    }
    return "<div class=\"wide\">\n<table>\n<thead><tr>" + heads.map { "<th scope=\"col\">\($0)</th>" }.joined()
      + "</tr></thead>\n<tbody>\n\(body.joined())</tbody>\n</table>\n</div>"
  }

  /// The answers to prompts, newest first.
  private var consents: String {
    let all = apps.flatMap { app in app.consents.map { (app: app.name, consent: $0) } }
      .sorted { $0.consent.time > $1.consent.time }
    if all.isEmpty { return "" }
    let rows = all.map { app, consent in
      [
        app, Self.minute(consent.time), consent.kind, consent.choice, consent.way, consent.language ?? "",
        consent.purpose ?? "",
      ]
    }
    return "\n"
      + Self.table(["App", "Answered", "Question", "Answer", "By", "Language shown", "Purpose shown"], rows)
  }

  /// Returns a time as in `2026-11-21 07:31`.
  static func minute(_ time: UTCTime) -> String {
    let text = time.iso8601
    return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
  }
}
