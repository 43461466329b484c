import Base
import LineProtocol

// Formats the report as text, and the words that the text and the page share.
extension PrivacyReport {
  var formatter: TextFormatter { TextFormatter(unwrapped: language) }

  func text(_ phrase: some Phrase, _ values: [Placeholder: String] = [:]) -> String {
    formatter.text(phrase, values)
  }

  /// Returns a count and its description as text, for example `3 × no press`.
  func times(_ count: Int, _ what: String) -> String { "\(count) × \(what)" }

  /// Returns the reason of a request without a fix, as text in the language of the report.
  /// - Parameter answer: The error that the app received, for example `no-press` (no user pressed the button in time).
  func reason(_ answer: String) -> String { RefusalPhrase(rawValue: answer).map { text($0) } ?? answer }

  func outcome(_ word: String?) -> String {
    let word = word ?? "open"
    return OutcomePhrase(rawValue: word).map { text($0) } ?? word
  }

  func accuracies(of app: App) -> [String] {
    FixAccuracy.allCases.compactMap { accuracy in
      let count = app.count(of: accuracy)
      return count == 0 ? nil : times(count, formatter.accuracy(accuracy.rawValue))
    }
  }

  /// Returns a duration as text, for example `1 h 20 min`.
  private static func words(_ length: Duration) -> String {
    let minutes = (length.components.seconds + 30) / 60
    if minutes >= 48 * 60 { return "\(minutes / 1440) d \(minutes / 60 % 24) h" }
    return minutes >= 60 ? "\(minutes / 60) h \(minutes % 60) min" : "\(minutes) min"
  }

  /// Returns the count and the total duration of the periods of updates (repeated fixes) as text.
  private func following(_ intervals: [Interval]) -> String {
    let lengths = intervals.compactMap { $0.length(until: to) }
    let unknown = intervals.reduce(0) { $0 + ($1.length(until: to) == nil ? $1.count : 0) }
    let durations =
      (lengths.isEmpty ? [] : [Self.words(lengths.reduce(.zero, +))])
      + (unknown == 0 ? [] : [text(ReportPhrase.unknownLength, [.count: "\(unknown)"])])
    let count = intervals.reduce(0) { $0 + $1.count }
    return times(count, text(ReportPhrase.followed)) + " (\(formatter.list(durations)))"
  }

  /// Returns texts about the data that an app got: fixes by accuracy, events of regions (circles on the ground), and
  /// periods of updates (repeated fixes).
  func given(to app: App) -> [String] {
    accuracies(of: app) + (app.borders.isEmpty ? [] : [times(app.borderCount, text(ReportPhrase.border))])
      + (app.intervals.isEmpty ? [] : [following(app.intervals)])
  }

  func outcomes(of app: App) -> [String] { app.outcomeCounts.map { times($0.count, outcome($0.outcome)) } }

  func transports(of app: App) -> [String] { app.transportCounts.map { times($0.count, $0.transport) } }

  func refusals(of app: App) -> [String] { app.answerCounts.map { times($0.count, reason($0.answer)) } }

  /// Returns the table cells for an answer to a prompt (a question to the user), in the order of `consentHeadings`. If
  /// an authorization has ended, the cell of the question has a text about the end.
  func cells(_ consent: Consent, of app: App) -> [String] {
    if let end = consent.end {
      return [app.name, TextFormatter.minute(consent.time), formatter.ended(end.right, end.status), "", "", "", ""]
    }
    let question = PromptPhrase.allCases.first { "\($0)" == consent.kind }
    return [
      app.name, TextFormatter.minute(consent.time), question.map { text($0, [.app: app.name]) } ?? consent.kind ?? "",
      formatter.list(
        consent.choice.split { $0 == "," || $0 == " " }.map { word in
          PromptChoice(rawValue: String(word)) == nil
            ? formatter.accuracy(String(word)) : formatter.answerText(String(word), to: consent.kind)
        }), way(consent.way), consent.language ?? "", consent.purpose ?? "",
    ]
  }

  private func way(_ word: String) -> String {
    switch word {
    case "button": text(LogPhrase.atButton)
    case "console": text(LogPhrase.atConsole)
    case "page": text(LogPhrase.onPage)
    default:
      word.hasPrefix("user ") ? text(LogPhrase.byUser, [.number: String(word.dropFirst(5))]) : word
    }
  }

  var consentHeadings: [String] {
    [
      text(AppPhrase.app), text(ReportPhrase.answered), text(GatewayPhrase.question), text(ReportPhrase.answer),
      text(ReportPhrase.by), text(ReportPhrase.languageShown), text(ReportPhrase.purposeShown),
    ]
  }

  package var text: String {
    var lines = [
      text(ReportPhrase.title, [.text: gateway]), text(ReportPhrase.range, [.time: from.iso8601, .value: to.iso8601]),
      text(ReportPhrase.log, [.value: logState]),
    ]
    lines += notices + [""]
    if apps.isEmpty { lines.append(text(ReportPhrase.noApps)) }
    for app in apps {
      lines.append(app.name)
      var rows = LabelledLines()
      rows.add(text(ReportPhrase.asked), "\(app.requests)")
      for (phrase, words) in [
        (ReportPhrase.given, given(to: app)), (.transport, transports(of: app)), (.outcome, outcomes(of: app)),
        (.notGiven, refusals(of: app)),
      ] where !words.isEmpty {
        rows.add(text(phrase), formatter.list(words))
      }
      for consent in app.consents {
        let cells = cells(consent, of: app).dropFirst(2).map { $0 }
        guard consent.end == nil else {
          rows.add(text(AppPhrase.until), "\(consent.time.iso8601) \(cells[0])")
          continue
        }
        let purpose = text(GatewayPhrase.quotation, [.text: cells[4]])
        let shown = (cells[3].isEmpty ? [] : [cells[3]]) + (cells[4].isEmpty ? [] : [purpose])
        rows.add(
          text(ReportPhrase.answered),
          "\(consent.time.iso8601) \(cells[0]) \(cells[1]) (\(formatter.list([cells[2]] + shown)))")
      }
      rows.add(text(ReportPhrase.lastGiven), app.last?.iso8601 ?? text(ReportPhrase.never))
      lines += rows.lines(columns: 4096).map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }
}
