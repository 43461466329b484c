import GNSS

/// The table of manufacturers. The commands change settings only in the receiver's RAM, and never in its flash memory.
extension ReceiverMake {
  static let all: [ReceiverMake] = [casic, airoha, quectel, mediatek, garmin]

  /// Zhongke: the chip AT6558 and its successors, in the modules ATGM336H, ATGM332D and Quectel L76K. These receivers
  /// do not acknowledge commands. (CASIC protocol specification V4.2.0.3; L76K protocol specification V1.1)
  static let casic = ReceiverMake(
    // Any byte ends the standby. An empty field leaves the rate of a sentence as it is.
    wakeUp: ["PCAS06,0", "PCAS03,1,,,,1,,,,,,,,,"], identification: ["PCAS06,0"],
    model: { $0.value(of: "SW").map { String($0.prefix { $0 != "," }) } }, startSigns: [["TXT", "MA=CASIC"]],
    // If the sentences fill a line of 9600 baud, an answer takes seconds.
    replyTimeout: .seconds(3)
  ) { settings in
    // The sentences are first, because fewer sentences make the answers faster.
    let fields: [OutputMessage: Int] = [.gga: 0, .gll: 1, .gsa: 2, .gsv: 3, .rmc: 4, .vtg: 5, .zda: 6, .gst: 13]
    var steps = refusals(settings.messages, except: Set(fields.keys))
    let messages = settings.messages.filter { fields[$0.key] != nil }
    if !messages.isEmpty {
      var rates = [String](repeating: "", count: 14)
      for (message, rate) in messages { rates[fields[message] ?? 0] = "\(min(rate, 9))" }
      steps.append(
        SettingStep(
          settings: names(of: messages),
          alternatives: [
            SettingCommand(sentences: ["PCAS03,\(rates.joined(separator: ","))"], proof: output(messages))
          ]))
    }
    // Newer chips have further constellations, which PCAS04 does not switch.
    let others: [(Constellation, Character)] = [(.galileo, "E"), (.qzss, "Q"), (.navic, "N"), (.sbas, "S")]
    let unwanted = others.filter { !(settings.constellations ?? []).contains($0.0) }.map(\.1)
    let letters: [(Constellation, Character)] = [(.gps, "G"), (.beidou, "B"), (.glonass, "R")]
    steps += constellationSteps(settings, among: letters.map(\.0)) { wanted in
      let mask = wanted.enumerated().reduce(0) { $0 + ($1.element ? 1 << $1.offset : 0) }
      let isSet: @Sendable (ReceiverAnswer) -> Bool? = { sentence in
        sentence.value(of: "MO").map { mode in
          zip(letters, wanted).allSatisfy { mode.contains($0.1) == $1 } && !unwanted.contains(where: mode.contains)
        }
      }
      return question("PCAS06,2", isSet) {
        SettingCommand(
          sentences: ["PCAS04,\(mask)", "PCAS06,2"], proof: .answer { isSet($0).map { $0 ? .accepted : .notYet } })
      }
    }
    steps += periodSteps(settings, among: [1000, 500, 250, 200, 100].contains) {
      [SettingCommand(sentences: ["PCAS02,\($0)"], proof: .period($0))]
    }
    return steps
  }

  /// Airoha: the chips AG3335 and AG3352, also in the Quectel modules LC29H, LC76G and LC86G. (Quectel LC26G, LC76G and
  /// LC86G protocol specification V1.1; LC29H protocol specification V1.1)
  static let airoha = ReceiverMake(
    // PAIR382 keeps the receiver from ignoring commands while it sleeps. PAIR002 switches the positioning on.
    wakeUp: ["PAIR382,1", "PAIR002", "PAIR062,0,1", "PAIR062,4,1"], identification: ["PAIR382,1", "PAIR021"],
    model: { sentence in
      if let version = sentence.rest(after: "PAIR021")?.first, !version.isEmpty {
        return String(version.prefix { $0 != "_" })
      }
      // The modules of Quectel with other chips have names that begin with LG.
      guard let version = sentence.rest(after: "PQTMVERNO")?.first, version.hasPrefix("LC") else { return nil }
      return version
    }, startSigns: [], replyTimeout: .seconds(1)
  ) { settings in
    // The change of the constellations restarts the receiver.
    var steps = constellationSteps(settings, among: [.gps, .glonass, .galileo, .beidou, .qzss]) { wanted in
      let fields = flags(wanted)
      return question("PAIR067", { $0.rest(after: "PAIR067").map { $0.starts(with: fields) } }) {
        SettingCommand(sentences: ["PAIR066,\(fields.joined(separator: ",")),0"], proof: pair("066"))
      }
    }
    let types: [OutputMessage: Int] = [
      .gga: 0, .gll: 1, .gsa: 2, .gsv: 3, .rmc: 4, .vtg: 5, .zda: 6, .gst: 8, .gns: 9,
    ]
    steps += refusals(settings.messages, except: Set(types.keys))
    steps += ordered(settings.messages).compactMap { message, rate in
      guard let type = types[message] else { return nil }
      let command = SettingCommand(sentences: ["PAIR062,\(type),\(min(rate, 20))"], proof: pair("062"))
      return SettingStep(
        settings: [.message(message)],
        alternatives: message == .gst ? [command, pqtm("PQTMEPE", rate, version: ",2")] : [command])
    }
    steps += periodSteps(settings, among: (100...1000).contains) {
      // Some modules have a fixed rate, which may be the wanted one.
      [
        SettingCommand(sentences: ["PAIR050,\($0)"], proof: pair("050")),
        SettingCommand(sentences: [], proof: .period($0)),
      ]
    }
    return steps
  }

  /// Quectel: the modules LG290P and LG580P. (LG290P protocol specification V1.1)
  ///
  /// These receivers apply a new fix interval or new constellations only after a save to flash memory and a restart, so
  /// the gateway changes neither. To change the period of a sentence, the gateway sets the count of fixes between two
  /// sentences.
  static let quectel = ReceiverMake(
    wakeUp: ["PQTMCFGMSGRATE,W,GGA,1", "PQTMCFGMSGRATE,W,RMC,1"], identification: ["PQTMVERNO"],
    model: { sentence in sentence.rest(after: "PQTMVERNO")?.first.flatMap { $0 == "ERROR" ? nil : $0 } },
    startSigns: [], replyTimeout: .seconds(1)
  ) { settings in
    var steps = constellationSteps(settings, among: [.gps, .glonass, .galileo, .beidou, .qzss, .navic]) { wanted in
      question("PQTMCFGCNST,R", { $0.rest(after: "PQTMCFGCNST", "OK").map { $0.starts(with: flags(wanted)) } }) { nil }
    }
    let names: [OutputMessage] = [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, .gst]
    steps += refusals(settings.messages, except: Set(names))
    let messageSteps: @Sendable ([OutputMessage: UInt8], Int) -> [SettingStep] = { messages, fixes in
      ordered(messages).filter { names.contains($0.message) }.map { message, rate in
        let rate = UInt8(clamping: Int(rate) * fixes)
        let command = pqtm(message.rawValue.uppercased(), rate)
        return SettingStep(
          settings: [.message(message)],
          alternatives: message == .gst ? [command, pqtm("PQTMEPE", rate, version: ",2")] : [command])
      }
    }
    guard let period = settings.period.map(Int.init) else { return steps + messageSteps(settings.messages, 1) }
    let messages = settings.messages.isEmpty ? ReceiverSettings.factoryMessages : settings.messages
    let interval = SettingQuestion(sentence: "PQTMCFGFIXRATE,R") { sentence in
      if isRefusal(sentence, of: "PQTMCFGFIXRATE,R") { return .refused }
      guard let text = sentence.rest(after: "PQTMCFGFIXRATE", "OK")?.first else { return nil }
      guard let interval = Int(text), interval > 0, period.isMultiple(of: interval), period / interval <= 20 else {
        return .refused
      }
      let check = SettingCommand(sentences: [], proof: .period(period))
      return .steps(
        messageSteps(messages, period / interval) + [SettingStep(settings: [.period], alternatives: [check])])
    }
    return steps + [
      SettingStep(settings: [.period], question: interval, otherwise: messageSteps(settings.messages, 1))
    ]
  }

  /// MediaTek: the chips MT3333 and MT3339, for example in the modules PA1010D, PA1616S and Quectel L76, L80 and L86.
  /// (PMTK command packet user manual; Quectel L76 series protocol specification V3.3)
  static let mediatek = ReceiverMake(
    // Any byte ends the standby. PMTK314,-1 selects the factory's sentences.
    wakeUp: ["PMTK605", "PMTK314,-1"], identification: ["PMTK605"],
    model: { sentence in
      // The fields are the firmware, a number, and the name of the module, which may be empty.
      guard let fields = sentence.rest(after: "PMTK705"), let firmware = fields.first else { return nil }
      return fields.count > 2 && !fields[2].isEmpty ? fields[2] : firmware
    }, startSigns: [["PMTK010", "001"]], replyTimeout: .seconds(1)
  ) { settings in
    // The change of the constellations restarts the receiver.
    var steps = constellationSteps(settings, among: [.gps, .glonass, .galileo, .beidou]) { wanted in
      var fields = flags(wanted)
      fields.insert("0", at: 3)
      let command = SettingCommand(
        sentences: ["PMTK353,\(fields.joined(separator: ","))"],
        proof: .answer { [fields] sentence in
          guard let rest = sentence.rest(after: "PMTK001", "353"), let result = rest.first else { return nil }
          // The answer repeats the constellations that the receiver really uses: five flags, or two in old firmware.
          let used = rest.dropFirst().prefix(rest.count > 5 ? 5 : 2)
          return result == "3" && fields.starts(with: used) ? .accepted : .refused
        })
      return SettingStep(settings: [.constellations], alternatives: [command], pause: .seconds(2))
    }
    let fields: [OutputMessage: Int] = [.gll: 0, .rmc: 1, .vtg: 2, .gga: 3, .gsa: 4, .gsv: 5, .gst: 7, .zda: 17]
    steps += refusals(settings.messages, except: Set(fields.keys))
    let messages = settings.messages.filter { fields[$0.key] != nil }
    if !messages.isEmpty {
      let present = SettingQuestion(sentence: "PMTK414") { sentence in
        guard var rates = sentence.rest(after: "PMTK514") else {
          return sentence.rest(after: "PMTK001", "414").map { $0.first == "3" ? nil : .refused } ?? nil
        }
        let former = rates
        rates += [String](repeating: "0", count: max(0, 19 - rates.count))
        for (message, rate) in messages { rates[fields[message] ?? 0] = "\(min(rate, 5))" }
        if rates == former { return .applied }
        let command = SettingCommand(sentences: ["PMTK314,\(rates.joined(separator: ","))"], proof: pmtk("314"))
        return .steps([SettingStep(settings: names(of: messages), alternatives: [command])])
      }
      steps.append(SettingStep(settings: names(of: messages), question: present))
    }
    steps += periodSteps(settings, among: (100...10_000).contains) {
      [SettingCommand(sentences: ["PMTK220,\($0)"], proof: pmtk("220"))]
    }
    return steps
  }

  /// Garmin: the receivers GPS 15 to GPS 19x. These receivers save each setting in flash memory, so the gateway changes
  /// no setting, and only compares the output with the wanted settings. (GPS 18x technical specifications)
  static let garmin = ReceiverMake(
    wakeUp: ["PGRMCE"], identification: ["PGRMCE"],
    model: { sentence in
      if let product = sentence.rest(after: "PGRMT")?.first, !product.isEmpty { return product }
      return sentence.rest(after: "PGRMC").map { _ in "Garmin" }
    }, startSigns: [], replyTimeout: .seconds(1)
  ) { settings in
    let known: Set<OutputMessage> = [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .gst]
    var steps = refusals(settings.messages, except: known)
    let messages = settings.messages.filter { known.contains($0.key) }
    if !messages.isEmpty {
      let check = SettingCommand(sentences: [], proof: output(messages, gst: .positionError))
      steps.append(SettingStep(settings: names(of: messages), alternatives: [check]))
    }
    steps += constellationSteps(settings, among: []) { _ in .refusal([.constellations]) }
    return steps + periodSteps(settings, among: { _ in true }) { [SettingCommand(sentences: [], proof: .period($0))] }
  }
}

// MARK: Parts of the rows

/// Returns a step without commands, for the messages to switch on that the receiver does not have. The array is empty
/// if there are none.
private func refusals(_ messages: [OutputMessage: UInt8], except known: Set<OutputMessage>) -> [SettingStep] {
  let missing = ordered(messages).filter { $0.rate > 0 && $0.message.isSentence && !known.contains($0.message) }
  return missing.isEmpty ? [] : [.refusal(missing.map { .message($0.message) })]
}

/// Returns the messages in the order of sending. Messages to switch on come first, so that the receiver never stops its
/// output.
private func ordered(_ messages: [OutputMessage: UInt8]) -> [(message: OutputMessage, rate: UInt8)] {
  let all = OutputMessage.allCases.compactMap { message in messages[message].map { (message: message, rate: $0) } }
  return all.filter { $0.rate > 0 } + all.filter { $0.rate == 0 }
}

private func names(of messages: [OutputMessage: UInt8]) -> [ReceiverSetting] {
  ordered(messages).map { .message($0.message) }
}

/// Returns a proof for message rates: which types of NMEA sentences the receiver must send, and which not.
/// - Parameter gst: the type of the sentence with error estimates.
private func output(_ messages: [OutputMessage: UInt8], gst: SentenceType = .gst) -> SettingCommand.Proof {
  .sentences(
    Dictionary(
      uniqueKeysWithValues: messages.compactMap { message, rate in
        let type =
          message == .gst ? gst : SentenceType.allCases.first { $0.description.lowercased() == message.rawValue }
        return type.map { (.message(message), SettingCommand.Expectation(type: $0, isSent: rate > 0)) }
      }))
}

/// Returns the steps that select the constellations.
/// - Parameters:
///   - settings: the wanted settings.
///   - known: the constellations that the receiver can switch, in the order of the command's fields.
///   - step: a closure that returns the step. Its argument contains a Boolean for each known constellation: whether the
///     constellation must be on.
private func constellationSteps(
  _ settings: ReceiverSettings, among known: [Constellation], _ step: ([Bool]) -> SettingStep
) -> [SettingStep] {
  guard let wanted = settings.constellations else { return [] }
  guard !wanted.isDisjoint(with: known) else { return [.refusal([.constellations])] }
  let others = Constellation.allCases.filter { wanted.contains($0) && !known.contains($0) }
  return [step(known.map(wanted.contains))] + others.map { .refusal([.constellation($0)]) }
}

private func flags(_ values: [Bool]) -> [String] { values.map { $0 ? "1" : "0" } }

/// Returns a step that requests the present constellations, and changes them only if they differ.
/// - Parameters:
///   - sentence: the request for the present constellations.
///   - isSet: a closure that returns whether an answer contains the wanted value; nil if the sentence does not answer
///     the request.
///   - command: a closure that returns the command for the change; nil if the receiver would save the change in flash
///     memory.
private func question(
  _ sentence: String, _ isSet: @escaping @Sendable (ReceiverAnswer) -> Bool?,
  _ command: @escaping @Sendable () -> SettingCommand?
) -> SettingStep {
  let plan = SettingQuestion(sentence: sentence) { answer in
    if isRefusal(answer, of: sentence) { return .refused }
    return isSet(answer).map { isSet in
      if isSet { return .applied }
      return command().map {
        .steps([SettingStep(settings: [.constellations], alternatives: [$0], pause: .seconds(3))])
      } ?? .refused
    }
  }
  return SettingStep(settings: [.constellations], question: plan)
}

/// Returns whether an answer means that the receiver does not know a request.
private func isRefusal(_ answer: ReceiverAnswer, of question: String) -> Bool {
  let address = String(question.prefix { $0 != "," })
  if answer.rest(after: address, "ERROR") != nil { return true }
  let results: Set = ["2", "3", "4"]
  return answer.rest(after: "PAIR001", String(address.dropFirst(4)))?.first.map(results.contains) ?? false
}

/// Returns a step that sets the period of the positions in milliseconds. The array is empty if the settings contain no
/// period. `known` tells whether the receiver has a period; otherwise the step has no commands.
private func periodSteps(
  _ settings: ReceiverSettings, among known: (Int) -> Bool, _ commands: (Int) -> [SettingCommand]
) -> [SettingStep] {
  guard let period = settings.period.map(Int.init) else { return [] }
  return [SettingStep(settings: [.period], alternatives: known(period) ? commands(period) : [])]
}

/// Returns a proof of a change by the acknowledgement `PAIR001` for the command with the given number.
private func pair(_ number: String) -> SettingCommand.Proof {
  .answer { sentence in
    switch sentence.rest(after: "PAIR001", number)?.first {
    case nil: nil
    case "0": .accepted
    // The receiver is still executing the command, or is busy.
    case "1", "5": .notYet
    default: .refused
    }
  }
}

/// Returns a proof of a change by the acknowledgement `PMTK001` for the command with the given number.
private func pmtk(_ number: String) -> SettingCommand.Proof {
  .answer { sentence in
    sentence.rest(after: "PMTK001", number)?.first.map { $0 == "3" ? .accepted : .refused }
  }
}

/// Returns the command that sets the rate of a sentence in Quectel receivers. The rate n means once in n fixes, and the
/// rate 0 means never.
private func pqtm(_ name: String, _ rate: UInt8, version: String = "") -> SettingCommand {
  SettingCommand(
    sentences: ["PQTMCFGMSGRATE,W,\(name),\(min(rate, 20))\(version)"],
    proof: .answer { sentence in
      guard let rest = sentence.rest(after: "PQTMCFGMSGRATE") else { return nil }
      return rest == ["OK"] ? .accepted : rest.first == "ERROR" ? .refused : nil
    })
}

extension ReceiverAnswer {
  /// Returns the value after `name` in a `TXT` sentence; nil for another name. For example, the value of `MO` in
  /// `TXT,MO=GB` is `GB`. The value includes all later fields.
  fileprivate func value(of name: String) -> String? {
    guard let rest = rest(after: "TXT"), let first = rest.first, first.hasPrefix("\(name)=") else { return nil }
    return ([String(first.dropFirst(name.utf8.count + 1))] + rest.dropFirst()).joined(separator: ",")
  }
}
