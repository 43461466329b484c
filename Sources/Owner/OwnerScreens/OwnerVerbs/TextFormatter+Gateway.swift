import Base
package import LineProtocol

// Formats the state of the gateway, its receiver and its log.
extension TextFormatter {
  func status(_ fields: ServerLine.Fields) -> [String] {
    statusLines(fields).lines(columns: columns, hasColours: hasColours)
  }

  func statusLines(_ fields: ServerLine.Fields) -> LabelledLines {
    var lines = LabelledLines()
    let board = [Placeholder.text: fields["gateway"] ?? "", .value: fields["board"] ?? ""]
    lines.add(text(GatewayPhrase.gateway), text(GatewayPhrase.onBoard, board))
    lines.add(text(ReceiverPhrase.receiver), receiverState(fields))
    lines.add(text(ReceiverPhrase.settings), settings(fields))
    lines.add(text(GatewayPhrase.light), indicator(fields), isUrgent: fields["locked"] == "true")
    let prompt = fields["prompt"].map { "#\($0) " + (fields["prompt-app"] ?? "") }
    lines.add(text(GatewayPhrase.question), prompt.map { marked($0, fields) ?? $0 })
    lines.add(text(GatewayPhrase.waiting), waiting(fields))
    lines.add(text(GatewayPhrase.lastPress), lastPress(fields))
    let watchers = fields["watchers"].map { " (\($0))" } ?? ""
    lines.add(text(GatewayPhrase.connections), fields["sessions"].map { $0 + watchers })
    for broker in brokers(fields) { lines.add(text(GatewayPhrase.broker), broker) }
    for output in outputs(fields) { lines.add(text(GatewayPhrase.output), output) }
    for listener in closedListeners(fields) { lines.add(text(GatewayPhrase.listener), listener) }
    for app in fields["apps-off"]?.split(separator: ",") ?? [] {
      lines.add(text(GatewayPhrase.appOff), text(GatewayPhrase.appWithoutUser, [.app: String(app)]))
    }
    if let row = TimeView(fields)?.row(self) { lines.add(row.label, row.value) }
    lines.add(text(GatewayPhrase.log), log(fields))
    for fault in faults(fields) { lines.add(text(GatewayPhrase.fault), fault, isUrgent: true) }
    lines.add(text(GatewayPhrase.warnings), fields["warnings"].map(words))
    lines.add(
      text(GatewayPhrase.warnings),
      fields["restart-for"].map { text(NotificationPhrase.restartFor, [.text: words($0)]) })
    return lines
  }

  /// Returns the names of the apps that wait for a press of the button; nil if no app waits. The text marks each app to
  /// which the next press gives a fix. These apps come first, because a narrow terminal cuts the text off.
  func waiting(_ fields: ServerLine.Fields) -> String? {
    fields["armed"].map { armed in
      let apps = armed.split(separator: ",").map(String.init).map { app in
        (app, title(app, isForEachPress: fields.eachPressApps.contains(app)))
      }
      let marks = apps.map { marked($0, as: $1, fields) }
      return list(marks.compactMap(\.self) + zip(apps, marks).compactMap { $1 == nil ? $0.1 : nil })
    }
  }

  /// Returns a text about the last press or hold (long press) of the button, for example `gave park-finder one fix`;
  /// nil if the button was not pressed since the start of the gateway. The text also names the outputs (for example
  /// files or servers) that got the fix, and those that did not.
  package func lastPress(_ fields: ServerLine.Fields) -> String? {
    guard let word = fields["last-press"] else { return nil }
    let apps = fields["last-press-app"]?.split(separator: ",").map(String.init) ?? []
    let effect = PressPhrase(rawValue: word).map { text($0, [.app: list(apps)]) } ?? word
    let outputs = shortNames(ofOutputs: fields["last-press-to"])
    return [outputs.map { "\(effect) → \($0)" } ?? effect, undelivered(fields)].compactMap(\.self)
      .joined(separator: "; ")
  }

  /// Returns a text with the outputs that did not get the fix of the last press; nil if there are none.
  package func undelivered(_ fields: ServerLine.Fields) -> String? {
    shortNames(ofOutputs: fields["last-press-failed"]).map { text(GatewayPhrase.undelivered, [.value: $0]) }
  }

  /// Returns the short names of the outputs whose addresses are in a field; nil without the field.
  private func shortNames(ofOutputs field: String?) -> String? {
    field.map { list($0.split(separator: ",").map { Self.shortName(ofOutput: $0) }) }
  }

  /// Returns a short name of an output (a file, serial port or server that receives fixes), for example `ttyUSB0`. The
  /// name is the host of a server, the name of a file without its folder, or the serial port.
  static func shortName(ofOutput address: Substring) -> String {
    let ports = "serial:///dev/"
    guard !address.hasPrefix(ports) else { return String(address.dropFirst(ports.count)) }
    let name = address.split(separator: Character("/")).last ?? address
    guard !address.hasPrefix("file:"), !address.hasPrefix("serial:"), let colon = name.lastIndex(of: ":"),
      name[name.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return String(name) }
    return String(name[..<colon])
  }

  /// Returns the name of an app or prompt (a question to the user) with a mark, if the next press of a button is for
  /// the app or prompt; otherwise nil. With several buttons, the text also names the button.
  private func marked(_ word: String, as shown: String? = nil, _ fields: ServerLine.Fields) -> String? {
    let name = word.split(separator: " ").first.map(String.init) ?? word
    guard let buttons = Self.buttons(for: name, in: fields) else { return nil }
    return buttons.isEmpty
      ? text(GatewayPhrase.next, [.app: shown ?? word])
      : text(GatewayPhrase.nextOfButton, [.app: shown ?? word, .value: list(buttons)])
  }

  /// Returns the names of the buttons whose next press is for an app or for a prompt (`#NUMBER`); nil if there is no
  /// such button. The result is empty if the board has only one button.
  package static func buttons(for word: String, in status: ServerLine.Fields) -> [String]? {
    let marks = status["next"]?.split(separator: ",").map { $0.split(separator: ":").map(String.init) } ?? []
    let own = marks.filter { $0.last == word }
    return own.isEmpty ? nil : own.compactMap { $0.count > 1 ? $0.first : nil }
  }

  func faults(_ fields: ServerLine.Fields) -> [String] {
    let store = fields["store-fault"]?.split(separator: ",") ?? []
    let unsaved = store.first { $0.hasPrefix("unsaved:") }?.dropFirst("unsaved:".count)
    let others = store.filter { !$0.hasPrefix("unsaved:") }.joined(separator: ",")
    return ["indicator-fault", "sound-fault", "button-fault", "receiver-power-fault"].compactMap { key in
      fields[key].map { "\(key.dropLast(6)): \($0)" }
    } + (others.isEmpty ? [] : ["store: \(others)"])
      + (unsaved.map { [text(GatewayPhrase.unsaved, [.count: String($0)])] } ?? [])
  }

  private func brokers(_ fields: ServerLine.Fields) -> [String] {
    fields.numbered("mqtt").map { key, address in
      let since = fields[key + "-since"]
      let away = since == nil ? GatewayPhrase.brokerAwayUntimed : .brokerAway
      let line = text(
        fields[key + "-state"] == "connected" ? .brokerThere : away,
        [
          .broker: address, .app: fields[key + "-app"] ?? "", .count: fields[key + "-waiting"] ?? "0",
          .time: since.map { Self.time($0) + " UTC" } ?? "",
        ])
      let isUnverified = fields[key + "-version"] == MQTTVersion.three.rawValue
      return list(
        [
          line, Self.cause(fields, key), isUnverified ? text(GatewayPhrase.brokerUnverified) : nil, full(fields, key),
        ].compactMap(\.self))
    }
  }

  /// Returns a text about the state of each output (a file, serial port or web server that receives fixes).
  /// - Parameters:
  ///   - fields: The fields of the reply to the command `STATUS`.
  ///   - areShort: Whether each output is shown with a short name instead of its address.
  package func outputs(_ fields: ServerLine.Fields, areShort: Bool = false) -> [String] {
    fields.numbered("output").map { key, address in
      let line = text(
        fields[key + "-state"] == "connected" ? GatewayPhrase.outputReady : .outputAway,
        [
          .broker: areShort ? Self.shortName(ofOutput: address[...]) : address, .app: fields[key + "-app"] ?? "",
          .count: fields[key + "-waiting"] ?? "0",
        ])
      return list([line, Self.cause(fields, key), full(fields, key)].compactMap(\.self))
    }
  }

  /// Returns a text that no further fix may wait for an output or a broker; nil if a further fix may wait.
  private func full(_ fields: ServerLine.Fields, _ key: String) -> String? {
    fields[key + "-full"].map { _ in text(GatewayPhrase.outputFull) }
  }

  /// Returns the cause of the fault of an output (a file, serial port or server that receives fixes), in English; nil
  /// without a fault.
  private static func cause(_ fields: ServerLine.Fields, _ key: String) -> String? {
    guard let fault = fields[key + "-fault"] else { return nil }
    let cause = OutputFault(rawValue: fault)?.cause ?? fault
    return fields[key + "-detail"].map { "\(cause): \($0)" } ?? cause
  }

  private func closedListeners(_ fields: ServerLine.Fields) -> [String] {
    fields.numbered("listener").map { key, name in
      let since = fields[key + "-since"]
      return text(
        since == nil ? GatewayPhrase.listenerClosed : .listenerClosedSince,
        [.value: name, .text: fields[key + "-fault"] ?? "", .time: since.map { Self.time($0) + " UTC" } ?? ""])
    }
  }

  package func indicator(_ fields: ServerLine.Fields) -> String? {
    if fields["locked"] == "true" { return text(GatewayPhrase.locked) }
    return fields["indicator"].map { word in Self.indications[word].map { text($0) } ?? word }
  }

  private static let indications: [String: GatewayPhrase] = [
    "off": .off, "acquiring": .acquiring, "in-use": .inUse, "background": .background, "prompt": .prompt,
    "locked": .locked, "nothing-waiting": .nothingWaiting, "not-saved": .notSaved,
  ]

  func log(_ fields: ServerLine.Fields) -> String? {
    switch fields["log"] {
    case "unchecked": text(GatewayPhrase.logUnchecked)
    case "good": text(GatewayPhrase.logGood)
    case "failing": text(fields["log-fault"] == "unreadable" ? GatewayPhrase.logUnreadable : .logFailing)
    case "broken":
      text(
        GatewayPhrase.logBroken,
        [.value: (fields["log-fault"] ?? "") + (fields["log-entry"].map { " #\($0)" } ?? "")])
    default: fields["log"]
    }
  }

  // MARK: The receiver

  /// Returns the state of the GNSS receiver as lines of text.
  /// - Parameters:
  ///   - fields: The fields of the reply to the command `STATUS`.
  ///   - sky: The fields of the reply to the command `SKY`.
  func receiver(_ fields: ServerLine.Fields, sky: ServerLine.Fields) -> [String] {
    var lines = LabelledLines()
    lines.add(text(ReceiverPhrase.receiver), receiverState(fields))
    lines.add(text(ReceiverPhrase.satellites), fields["sats"])
    let accuracy = sky["hacc"].flatMap { Double($0)?.decimal(1) }.map { "± \($0) m" }
    let dilutions = ["hdop", "vdop", "pdop"].compactMap { key in sky[key].map { "\(key.uppercased()) \($0)" } }
    let quality = [accuracy].compactMap(\.self) + dilutions
    lines.add(text(AppPhrase.accuracy), quality.isEmpty ? nil : list(quality))
    let age: ReceiverPhrase? = fields["fix-age"].map { $0 == "fresh" ? .fresh : .old }
    lines.add(text(ReceiverPhrase.latest), age.map { text($0) })
    lines.add(text(ReceiverPhrase.source), fields["source"])
    lines.add(text(ReceiverPhrase.model), fields["model"])
    lines.add(text(ReceiverPhrase.frames), fields["frames"])
    for (phrase, key) in [
      (ReceiverPhrase.errors, "errors"), (.rejectedFields, "rejected-fields"), (.unknownFields, "unknown-fields"),
    ] {
      lines.add(text(phrase), fields[key].map(words))
    }
    lines.add(text(ReceiverPhrase.wakeUps), fields["wake-ups"])
    lines.add(text(ReceiverPhrase.settings), settings(fields))
    for fault in receiverFaults(fields) { lines.add(text(GatewayPhrase.fault), fault) }
    return lines.lines(columns: columns)
  }

  /// Returns a table of the visible satellites, the strongest first, with a bar for the strength of each signal. The
  /// abbreviations of the headings are the same in every language.
  func satellites(_ satellites: [SatelliteMessage]) -> [String] {
    if satellites.isEmpty { return [] }
    var table = TextTable([text(ReceiverPhrase.satellites), "El", "Az", "dB-Hz", ""], fixed: 4)
    for satellite in satellites.map({ Overview.Satellite($0) }).sorted(by: { $0.rank > $1.rank }) {
      func degrees(_ angle: Int?) -> String { angle.map { "\($0)°" } ?? "–" }
      let strength = satellite.strength.map { "\(max(0, min($0, 99)))" }
      let bar = String(repeating: "█", count: satellite.strength.map { max(0, min($0, 60)) / 2 } ?? 0)
      table.add([
        satellite.name + (satellite.isUsed ? " ✓" : ""), degrees(satellite.elevation), degrees(satellite.azimuth),
        strength ?? "–", bar,
      ])
    }
    return [""] + table.lines(columns: columns)
  }

  /// Returns the state of the receiver, as in `ready, 3D`; nil if unknown.
  package func receiverState(_ fields: ServerLine.Fields) -> String? {
    guard let word = fields["receiver"] else { return nil }
    let mode = word == "ready" ? fields["fix"]?.uppercased() : nil
    return list([Self.receiverStates[word].map { text($0) } ?? word, mode].compactMap(\.self))
  }

  private static let receiverStates: [String: ReceiverPhrase] = [
    "off": .off, "absent": .absent, "starting": .starting, "acquiring": .acquiring, "ready": .ready,
  ]
  private static let settingsStates: [String: ReceiverPhrase] = [
    "asking": .asking, "waiting": .pending, "applied": .applied, "partly": .partly, "unanswered": .unanswered,
  ]

  private func settings(_ fields: ServerLine.Fields) -> String? {
    let state = fields["settings"].flatMap { Self.settingsStates[$0] }.map { text($0) }
    let refused = fields["settings-refused"].map { text(ReceiverPhrase.refused, [.value: words($0)]) }
    let unanswered = fields["settings-unanswered"].map { text(ReceiverPhrase.unansweredSettings, [.value: words($0)]) }
    let texts = [state, refused, unanswered].compactMap(\.self)
    return texts.isEmpty ? fields["settings"] : texts.joined(separator: "; ")
  }

  /// Returns the words of a comma-separated field as a list in the language of the text.
  private func words(_ field: String) -> String { list(field.split(separator: ",").map(String.init)) }

  package func receiverFaults(_ fields: ServerLine.Fields) -> [String] {
    [
      fields["receiver-power-fault"], fields["date"].map { _ in text(ReceiverPhrase.dateCorrected) },
      fields["line"].map { _ in text(ReceiverPhrase.lineFull) },
      fields["attack"].flatMap { $0 == "none" ? nil : text(ReceiverPhrase.attack, [.value: words($0)]) },
      fields["receiver-defects"].map { text(ReceiverPhrase.contradiction, [.value: words($0)]) },
    ].compactMap { $0 }
  }

  // MARK: The log

  func log(_ entries: [EntryMessage]) -> [String] {
    if entries.isEmpty { return wrapped(LogPhrase.noEntries) }
    let localHeading = localTime.map { _ in text(PagePhrase.localTime) }
    let headings = [
      text(LogPhrase.time), localHeading, text(LogPhrase.entry), text(AppPhrase.app), text(LogPhrase.what),
    ]
    var table = TextTable(headings.compactMap(\.self), fixed: localTime == nil ? 1 : 2)
    for (entry, row) in zip(entries, rows(entries)) {
      let local = localTime.map { time in UTCTime(iso8601: entry.time).map(time) ?? "" }
      table.add([row.time, local, row.number, row.app, row.what].compactMap(\.self))
    }
    return table.lines(columns: columns)
  }

  package func rows(_ entries: [EntryMessage]) -> [(time: String, number: String, app: String, what: String)] {
    // The entry of a disclosure does not contain the reason of the disclosure. If the reason was the border of a
    // region, the log contains a later entry with the outcome `region`. The field `of` of the later entry is the number
    // of the disclosure's entry.
    let borders = Set(entries.filter { $0.outcome == "region" }.compactMap(\.of))
    return entries.map { entry in
      (
        Self.time(entry.time), "#\(entry.entry)", entry.app ?? "",
        what(entry, isBorder: borders.contains(entry.entry))
      )
    }
  }

  func what(_ entry: EntryMessage, isBorder: Bool) -> String {
    let number = [Placeholder.number: entry.of.map { "\($0)" } ?? ""]
    switch entry.event {
    case "outcome":
      let outcome = entry.outcome ?? ""
      return Self.outcomes[outcome].map { text($0, number) } ?? "#\(number[.number] ?? "") \(outcome)"
    case "end":
      return text(
        entry.fixes == 1 ? LogPhrase.endedAfterOne : .ended,
        number.merging([.count: entry.fixes.map { "\($0)" } ?? "?", .value: end(entry.outcome ?? "")]) { $1 })
    case "answer": return answer(entry)
    case "right-end": return ended(entry.right, entry.outcome)
    default: return disclosure(entry, isBorder: isBorder)
    }
  }

  private func answer(_ entry: EntryMessage) -> String {
    let choice = entry.choice.map { answerText($0, to: entry.kind) }
    let way =
      switch entry.by {
      case "button": text(LogPhrase.atButton)
      case "console": text(LogPhrase.atConsole)
      case "page": text(LogPhrase.onPage)
      default: text(LogPhrase.byUser, [.number: entry.user.map { "\($0)" } ?? "?"])
      }
    let answer = text(
      LogPhrase.answer,
      [
        .value: list([choice ?? ""] + (entry.accuracy.map { [accuracy($0)] } ?? [])),
        .text: list([way] + (entry.language.map { [$0] } ?? [])),
      ])
    return entry.says.map { text(LogPhrase.answerWithPurpose, [.value: answer, .text: $0]) } ?? answer
  }

  private func disclosure(_ entry: EntryMessage, isBorder: Bool) -> String {
    let right = right(entry.right)
    let phrase: LogPhrase =
      isBorder ? .border : entry.event == "interval" ? .fromNowOn : entry.right == "once" ? .once : .byRight
    let marks = (entry.simulated == true ? [LogPhrase.simulated] : []) + (entry.late == true ? [.late] : [])
    let said = text(phrase, [.value: accuracy(entry.accuracy ?? ""), .text: right])
    return list([said] + marks.map { text($0) })
  }

  /// Returns the text that an authorization with a time limit has ended, with the status after the end.
  func ended(_ word: String?, _ outcome: String?) -> String {
    text(LogPhrase.rightEnded, [.value: right(word), .text: status(outcome ?? "")])
  }

  private func right(_ word: String?) -> String {
    switch word {
    case "allowedOnce": text(ChoicePhrase.once)
    case "whenInUse": text(StatusPhrase.whileUsing)
    case "always": text(StatusPhrase.always)
    default: word ?? ""
    }
  }

  /// Returns the text for an authorization status in the log of all fixes. For `notDetermined`, the log does not say
  /// whether the app has ever got a fix.
  private func status(_ word: String) -> String {
    switch word {
    case "denied": text(StatusPhrase.never)
    case "notDetermined": "\(text(StatusPhrase.askNextTime)) / \(text(StatusPhrase.whenIShare))"
    case "whenInUse": text(StatusPhrase.whileUsing)
    default: word
    }
  }

  private func end(_ cause: String) -> String { Self.ends[cause].map { text($0) } ?? cause }

  private static let outcomes: [String: LogPhrase] = [
    "acknowledged": .acknowledged, "sent": .sent, "region": .borderTold, "expired": .expired, "erased": .erased,
    "postponed": .postponed, "refused": .refused, "lost": .lost,
  ]
  private static let ends: [String: LogPhrase] = [
    "stopped": .stopped, "outOfUse": .outOfUse, "revoked": .revoked, "locked": .locked, "indicator": .indicator,
    "shutdown": .shutdown, "lost": .endLost,
  ]
}

extension ServerLine.Fields {
  /// The ids of the apps of which only outputs wait for a press, from the reply to the command `STATUS`.
  package var eachPressApps: [String] { self["each-press"]?.split(separator: ",").map(String.init) ?? [] }
}
