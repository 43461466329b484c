import Base
import GNSS
@testable import Decoding
import SeededNumbers
import Sentences
import Testing

/// The commands after the identification, and the fields of the status.
private func dialogue(
  _ rows: [ScriptedReceiver.Row], _ settings: ReceiverSettings, period: Int = 1000
) -> (sent: [String], status: [String: String]) {
  var receiver = ScriptedReceiver(rows)
  receiver.period = period
  let setup = configured(&receiver, settings)
  #expect(setup.report != nil && setup.nextDeadline == nil)
  return (Array(receiver.received.drop { identification.contains($0) }), setup.fields)
}

private let identification = ReceiverMake.all.flatMap(\.identification)

private let wanted = ReceiverSettings(
  port: .uart1, period: 200, messages: ReceiverSettings.completeMessages, constellations: [.gps, .glonass])
private let gst = ReceiverSettings(port: .uart1, messages: [.gst: 1])
private let version = "GPTXT,01,01,02,SW=URANUS5,V5.3.0.0"

// MARK: The dialogues

@Test func `CASIC: the output and the query of the mode prove the settings, because no command is acknowledged`() {
  // Recorded: the answers to PCAS06 of an ATGM336H (V5.3.0.0). Rebuilt from the manual: the effects.
  let sentences = "PCAS03,1,0,1,1,1,1,,,,,,,,1"
  let (sent, status) = dialogue(
    [
      .init("PCAS06,0", [version]), .init("PCAS06,2", ["GPTXT,01,01,02,MO=GB"]),
      .init("PCAS04,5", [], .answer("PCAS06,2", ["GPTXT,01,01,02,MO=GR"])),
      .init(sentences, [], .off([.gll]), .on([.gst])), .init("PCAS02,200", [], .period(200)),
    ], wanted)
  #expect(sent == [sentences, "PCAS06,2", "PCAS04,5", "PCAS06,2", "PCAS02,200"])
  #expect(status == ["model": "URANUS5", "settings": "applied"])
}

@Test func `CASIC: a sentence, a rate and a mode that do not come count as refused`() {
  // Recorded: an L76K that acknowledges nothing and has no GST. Its answers to PCAS06 are those of the AT6558.
  let (sent, status) = dialogue(
    [.init("PCAS06,0", [version]), .init("PCAS06,2", ["GPTXT,01,01,02,MO=GB"])],
    ReceiverSettings(port: .uart1, period: 500, messages: [.gst: 1], constellations: [.gps, .glonass, .galileo]))
  let sentence = Array(repeating: "PCAS03,,,,,,,,,,,,,,1", count: 3) + ["PCAS06,2"]
  let mode = Array(repeating: ["PCAS04,5", "PCAS06,2"], count: 3).flatMap(\.self)
  #expect(sent == sentence + mode + Array(repeating: "PCAS02,500", count: 3))
  #expect(
    status == ["model": "URANUS5", "settings": "refused", "settings-refused": "gst,constellations,galileo,rate"])
}

@Test func `CASIC: each sentence has a result of its own`() {
  // Rebuilt: an AT6558 with a firmware before GST.
  let (_, status) = dialogue(
    [
      .init("PCAS06,0", [version]), .init("PCAS03,1,0,,,,,1,,,,,,,1", [], .off([.gll]), .on([.zda])),
    ], ReceiverSettings(port: .uart1, messages: [.gga: 1, .zda: 1, .gst: 1, .gll: 0]))
  #expect(status == ["model": "URANUS5", "settings": "partly", "settings-refused": "gst"])
}

@Test func `CASIC: a receiver that stops sending did not answer`() {
  let (_, status) = dialogue(
    [.init("PCAS06,0", [version]), .init("PCAS03,1,,,,,,,,,,,,,", [], .off([.gga, .rmc, .gll, .gsa, .gsv, .vtg]))],
    ReceiverSettings(port: .uart1, messages: [.gga: 1]))
  #expect(status["settings-unanswered"] == "gga")
}

@Test func `CASIC: a mode that the receiver already has is not sent, and a rate that it lacks is refused`() {
  let (sent, status) = dialogue(
    [.init("PCAS06,0", [version]), .init("PCAS06,2", ["GPTXT,01,01,02,MO=GBR"])],
    ReceiverSettings(port: .uart1, period: 300, constellations: [.gps, .glonass, .beidou]))
  #expect(sent == ["PCAS06,2"])
  #expect(status == ["model": "URANUS5", "settings": "partly", "settings-refused": "rate"])
}

@Test(arguments: [("GB", "applied"), ("GBE", "refused"), ("GBEQ", "refused"), ("GBR", "refused")])
func `CASIC: a system that stays on although it is not wanted is a refusal`(mode: String, settings: String) {
  // Recorded: the modes of an AT6558, an AT9880 and an AT6668.
  let (sent, status) = dialogue(
    [.init("PCAS06,0", ["GPTXT,01,01,02,SW=URANUS6,V6.3.2.0"]), .init("PCAS06,2", ["GPTXT,01,01,02,MO=\(mode)"])],
    ReceiverSettings(port: .uart1, constellations: [.gps, .beidou]))
  #expect(sent.contains("PCAS04,3") == (settings == "refused"))
  #expect(status["model"] == "URANUS6" && status["settings"] == settings)
}

@Test func `Airoha: each setting is acknowledged, and the constellations are written only if they differ`() {
  // Recorded: PAIR021 of an AG3335M, and the acknowledgements of PAIR382, PAIR062,8 and PAIR050 of a T1000-E. Rebuilt
  // from the manual: the rest.
  let on = [(0, 1), (2, 1), (3, 1), (4, 1), (5, 1)]
  let rows: [ScriptedReceiver.Row] =
    [
      .init("PAIR382,1", ["PAIR001,382,0"]),
      .init("PAIR021", ["PAIR001,021,0", "PAIR021,AG3335M_V3.2.2.AG3335_20250912,S,N"]),
      .init("PAIR067", ["PAIR001,067,0", "PAIR067,1,1,1,1,0,0"]), .init("PAIR066,1,1,0,0,0,0", ["PAIR001,066,0"]),
      .init("PAIR062,8,1", ["PAIR001,062,0"]), .init("PAIR062,1,0", ["PAIR001,062,0"]),
      .init("PAIR050,200", ["PAIR001,050,1", "PAIR001,050,0"]),
    ] + on.map { .init("PAIR062,\($0.0),\($0.1)", ["PAIR001,062,0"]) }
  let (sent, status) = dialogue(rows, wanted)
  #expect(
    sent == [
      "PAIR067", "PAIR066,1,1,0,0,0,0", "PAIR062,0,1", "PAIR062,2,1", "PAIR062,3,1", "PAIR062,4,1", "PAIR062,5,1",
      "PAIR062,8,1", "PAIR062,1,0", "PAIR050,200",
    ])
  #expect(status == ["model": "AG3335M", "settings": "applied"])
  let same = dialogue(rows, ReceiverSettings(port: .uart1, constellations: [.gps, .glonass, .galileo, .beidou]))
  #expect(same.sent == ["PAIR067"] && same.status["settings"] == "applied")
}

@Test(arguments: [
  ("PAIR001,062,3", "PQTMCFGMSGRATE,OK", "applied"), ("PAIR001,062,4", "PQTMCFGMSGRATE,ERROR,1", "refused"),
])
func `Airoha: a module of Quectel without GST sends PQTMEPE`(gstAnswer: String, epeAnswer: String, settings: String) {
  // Rebuilt from the manual of the LC76G.
  let (sent, status) = dialogue(
    [
      .init("PQTMVERNO", ["PQTMVERNO,LC76GABNR02A01S,2022/09/14,11:47:03"]), .init("PAIR062,8,1", [gstAnswer]),
      .init("PQTMCFGMSGRATE,W,PQTMEPE,1,2", [epeAnswer]),
    ], gst)
  #expect(sent == ["PAIR062,8,1", "PQTMCFGMSGRATE,W,PQTMEPE,1,2"])
  #expect(status["model"] == "LC76GABNR02A01S" && status["settings"] == settings)
}

@Test func `Airoha: a sentence comes at most once in 20 fixes`() {
  let (sent, _) = dialogue(
    [.init("PAIR021", ["PAIR021,AG3335M"]), .init("PAIR062,8,20", ["PAIR001,062,0"])],
    ReceiverSettings(port: .uart1, messages: [.gst: 25]))
  #expect(sent == ["PAIR062,8,20"])
}

@Test(arguments: [(1000, "applied"), (500, "refused")])
func `Airoha: a module with a fixed rate has the wanted rate or refuses it`(period: UInt16, settings: String) {
  // Rebuilt from the manual of the LC76G (PA).
  let (_, status) = dialogue(
    [
      .init("PAIR021", ["PAIR021,AG3352Q_V2.0"]), .init("PAIR050,\(period)", ["PAIR001,050,3"]),
    ], ReceiverSettings(port: .uart1, period: period))
  #expect(status["settings"] == settings)
}

@Test(arguments: [
  ("PCAS06,0", version, "PCAS02", [100, 200, 250, 500, 1000], [99, 101, 300, 1001]),
  ("PAIR021", "PAIR021,AG3335M", "PAIR050", [100, 101, 1000], [99, 1001]),
  ("PMTK605", "PMTK705,AXN,1,PA1010D,1.0", "PMTK220", [100, 101, 10_000], [99, 10_001]),
])
func `only a period that the make has is sent, and any other is refused`(
  query: String, answer: String, command: String, known: [UInt16], others: [UInt16]
) {
  for period in known + others {
    let (sent, status) = dialogue([.init(query, [answer])], ReceiverSettings(port: .uart1, period: period), period: 50)
    #expect(Set(sent) == (known.contains(period) ? ["\(command),\(period)"] : []))
    #expect(known.contains(period) || status["settings-refused"] == "rate")
  }
}

@Test(arguments: [
  ("PAIR021,AG3335M", "PAIR067", "PAIR001,067,3"), ("PQTMVERNO,LG580P", "PQTMCFGCNST,R", "PQTMCFGCNST,ERROR,3"),
])
func `constellations that a receiver cannot report are refused`(version: String, question: String, answer: String) {
  let query = version.hasPrefix("PAIR") ? "PAIR021" : "PQTMVERNO"
  let (sent, status) = dialogue(
    [.init(query, [version]), .init(question, [answer])], ReceiverSettings(port: .uart1, constellations: [.gps]))
  #expect(sent == [question] && status["settings-refused"] == "constellations")
}

@Test func `LG290P: without a configured period, the rate of a sentence is its number of fixes`() {
  let (sent, status) = dialogue(
    [
      .init("PQTMVERNO", ["PQTMVERNO,LG290P03"]), .init("PQTMCFGMSGRATE,W,GSV,5", ["PQTMCFGMSGRATE,OK"]),
      .init("PQTMCFGMSGRATE,W,GST,1", ["PQTMCFGMSGRATE,OK"]),
    ], ReceiverSettings(port: .uart1, messages: [.gsv: 5, .gst: 1]))
  #expect(sent.sorted() == ["PQTMCFGMSGRATE,W,GST,1", "PQTMCFGMSGRATE,W,GSV,5"])
  #expect(status["settings"] == "applied")
}

@Test(arguments: [(1000, 300), (100, 3000), (0, 1000)])
func `LG290P: a period that is no multiple of the fix interval up to 20 is refused`(interval: Int, period: UInt16) {
  let (sent, status) = dialogue(
    [.init("PQTMVERNO", ["PQTMVERNO,LG290P03"]), .init("PQTMCFGFIXRATE,R", ["PQTMCFGFIXRATE,OK,\(interval)"])],
    ReceiverSettings(port: .uart1, period: period))
  #expect(sent == ["PQTMCFGFIXRATE,R"] && status["settings-refused"] == "rate")
}

@Test func `LG290P: the rate is a number of fixes, and other constellations are refused and not sent`() {
  // Recorded: the form of the answers, and that the fix interval and the constellations need a save. Rebuilt: the rest.
  let ok = ["PQTMCFGMSGRATE,OK"]
  let names = ["GGA", "GSA", "GSV", "RMC", "VTG"]
  var rows: [ScriptedReceiver.Row] = names.map { .init("PQTMCFGMSGRATE,W,\($0),10", ok) }
  rows += [
    .init("PQTMVERNO", ["PQTMVERNO,LG290P03AANR01A03S,2024/04/30,10:53:07"]),
    .init("PQTMCFGCNST,R", ["PQTMCFGCNST,OK,1,1,1,1,1,0"]), .init("PQTMCFGFIXRATE,R", ["PQTMCFGFIXRATE,OK,100"]),
    .init("PQTMCFGMSGRATE,W,GST,10", ["PQTMCFGMSGRATE,ERROR,1"]),
    .init("PQTMCFGMSGRATE,W,PQTMEPE,10,2", ok), .init("PQTMCFGMSGRATE,W,GLL,0", ok, .period(1000)),
  ]
  var settings = wanted
  settings.period = 1000
  let (sent, status) = dialogue(rows, settings, period: 100)
  #expect(
    sent == ["PQTMCFGCNST,R", "PQTMCFGFIXRATE,R"] + names.map { "PQTMCFGMSGRATE,W,\($0),10" } + [
      "PQTMCFGMSGRATE,W,GST,10", "PQTMCFGMSGRATE,W,PQTMEPE,10,2", "PQTMCFGMSGRATE,W,GLL,0",
    ])
  #expect(
    status == ["model": "LG290P03AANR01A03S", "settings": "partly", "settings-refused": "constellations"])
}

@Test func `MediaTek: only the wanted sentences change, and the answer repeats the constellations`() {
  // Recorded: the answers to PMTK605 of a PA6H, PMTK414 and PMTK353 of others. Rebuilt from the manual: the rest.
  let rows: [ScriptedReceiver.Row] = [
    .init("PMTK605", ["PMTK705,AXN_2.31_3339_13101700,5632,PA6H,1.0"]),
    .init("PMTK353,1,1,0,0,0", ["PMTK001,353,3,1,1,0,0,0,3", "PMTK011,MTKGPS", "PMTK010,001"]),
    .init("PMTK414", ["PMTK514,0,0,1,1,5,0,0,0,0,0,0,0,0,0,0,0,0,1,0"]),
    .init("PMTK314,0,0,1,1,5,0,0,1,0,0,0,0,0,0,0,0,0,1,0", ["PMTK001,314,3"]),
    .init("PMTK220,200", ["PMTK001,220,3"]),
  ]
  var settings = wanted
  settings.messages = [.gst: 1]
  let (sent, status) = dialogue(rows, settings)
  #expect(
    sent == ["PMTK353,1,1,0,0,0", "PMTK414", "PMTK314,0,0,1,1,5,0,0,1,0,0,0,0,0,0,0,0,0,1,0", "PMTK220,200"])
  #expect(status == ["model": "PA6H", "settings": "applied"])
}

@Test(arguments: [
  (["PMTK001,353,3,1,0,0,0,0,1"], "refused"), (["PMTK001,353,1"], "refused"), (["PMTK001,353,2"], "refused"),
  (["PMTK001,353,3,1,1,3"], "applied"), (["PMTK001,353,3"], "applied"), ([], "unanswered"),
])
func `MediaTek: constellations that the answer does not repeat are refused`(answers: [String], outcome: String) {
  let (_, status) = dialogue(
    [.init("PMTK605", ["PMTK705,AXN_3.8_3333_16042118,0000,,1.0"]), .init("PMTK353,1,1,0,0,0", answers)],
    ReceiverSettings(port: .uart1, constellations: [.gps, .glonass]))
  #expect(status["model"] == "AXN_3.8_3333_16042118")
  #expect(status["settings"] == (outcome == "unanswered" ? "refused" : outcome))
  #expect(status["settings-\(outcome)"] == (outcome == "applied" ? nil : "constellations"))
}

@Test func `Garmin: nothing is changed, and the report compares the output with the settings`() {
  // Rebuilt from the manual of the GPS 18x.
  let settings = ReceiverSettings(
    port: .uart1, period: 1000, messages: [.rmc: 1, .gll: 0, .gst: 1], constellations: [.gps], dynamicModel: .sea)
  var receiver = ScriptedReceiver([.init("PGRMCE", ["PGRMC,A,218.8,100,6378137.000,298.257223563,0.0,0.0,0.0,A,3,1,1"])]
  )
  receiver.on = [.rmc, .gga, .positionError, .gll]
  let setup = configured(&receiver, settings)
  #expect(receiver.received.allSatisfy(identification.contains))
  #expect(
    setup.fields == [
      "model": "Garmin", "settings": "partly", "settings-refused": "gll-off,constellations,dynamic-model",
    ])
}

// MARK: The identification

@Test func `a u-blox receiver that answers at once gets no sentence of another make`() {
  var setup = ReceiverSetup(gst)
  let question = UBXFrame.encode(.monVER)
  #expect(setup.open(isSpeedKnown: true, at: at(0)) == question)
  #expect(setup.pass(to: at(1000)) == question + ReceiverMake.identificationBytes)
  // A u-blox receiver answers an unknown sentence with a text.
  #expect(setup.receive("GNTXT,01,01,01,NMEA unknown msg", at: at(1010)) == [])
  #expect(setup.isRunning && setup.fields["settings"] == "asking")
}

@Test(arguments: [
  "PAIR001,021,0", "PAIR010,0,0", "PMTK010,001", "PMTK001,605,3", "PQTMVERNO,ERROR,3", "PQTMEPE,2,1,1,1,1,1", "TXT,SW",
  "TXT,HW=ATGM336H", "PGRMZ,93,f,3", "PUBX,00", "PAIR021", "PMTK705", "",
])
func `a sentence that is no answer to the identification determines no make`(content: String) {
  #expect(ReceiverAnswer(content).flatMap(ReceiverMake.recognize)?.model == nil)
}

@Test(arguments: [
  "PGRMF,370,338385,060206,142615,13,5139.3,N,00010.1,W,A,2,0,62,2,1", "PGRMZ,93,f,3", "PGRMV,1,1,1", "GNGGA,1",
  "PQTMPVT,1,31075000,20221225,083737.000,,3,09,18,31.12738291,117.26372910,34.212", "TXT,POS=47.1,8.5", "TXT",
  "PQTMPOS,1", "PUBX,00,1", "PMTKLOX,1", "PSTI,030,1", "PAIR908,2", "PQTMNAV,1",
])
func `a sentence that may contain a position never reaches the code that configures the receiver`(content: String) {
  #expect(ReceiverAnswer(content) == nil)
  #expect(ReceiverAnswer("PGRMC,A,218.8,100,6378137.000")?.fields == ["PGRMC"])
}

@Test func `an answer after the last attempt starts the configuration`() {
  var receiver = ScriptedReceiver([.init("PCAS03,,,,,,,,,,,,,,1", [], .on([.gst]))])
  var setup = ReceiverSetup(gst)
  var now = at(0)
  #expect(setup.open(isSpeedKnown: false, at: now) == [])
  configure(&setup, &receiver, setup.receiveBytes(at: now), at: &now)
  #expect(setup.fields == ["settings": "unanswered"])
  configure(&setup, &receiver, setup.receive(version, at: now), at: &now)
  #expect(setup.fields == ["model": "URANUS5", "settings": "applied"])
}

@Test func `a command whose answer is lost is repeated, and a setting without an answer is reported`() {
  var receiver = ScriptedReceiver([
    .init("PMTK605", ["PMTK705,AXN,1,PA1010D,1.0"]), .init("PMTK220,200", ["PMTK001,220,3"]),
  ])
  let settings = ReceiverSettings(port: .uart1, period: 200, messages: [.gst: 1])
  let setup = configured(&receiver, settings)
  #expect(receiver.received.suffix(4) == ["PMTK414", "PMTK414", "PMTK414", "PMTK220,200"])
  #expect(setup.fields == ["model": "PA1010D", "settings": "partly", "settings-unanswered": "gst"])
}

@Test func `a receiver of a make is configured again after its restart, and not because of a restart by a command`() {
  var receiver = ScriptedReceiver([.init("PMTK605", ["PMTK705,AXN,1,PA1010D,1.0"])])
  receiver.rows.append(.init("PMTK220,200", ["PMTK010,001", "PMTK001,220,3"]))
  var setup = configured(&receiver, ReceiverSettings(port: .uart1, period: 200))
  #expect(!setup.isRunning)
  var now = at(60_000)
  let count = receiver.received.count { $0 == "PMTK220,200" }
  configure(&setup, &receiver, setup.receive("PMTK010,001", at: now), at: &now)
  #expect(receiver.received.count { $0 == "PMTK220,200" } == count + 1)
}

@Test func `every command has its checksum, and the wake-up sentences are short`() {
  let text = String(decoding: WakeUp.bytes, as: UTF8.self)
  for line in text.split(separator: "\r\n") {
    #expect(nmeaSentence(String(line.dropFirst().prefix { $0 != "*" })) == line + "\r\n")
  }
  let all = ["PAIR382,1*2E", "PAIR062,4,1*3B", "PCAS06,0*1B", "PQTMCFGMSGRATE,W,RMC,1*17", "PMTK605*31", "PGRMCE*0E"]
  for sentence in all { #expect(text.contains("$\(sentence)\r\n")) }
  #expect(WakeUp.bytes.count < 300)
}

// MARK: Every make

private let complete = ReceiverSettings(
  port: .uart1, period: 1000,
  messages: ReceiverSettings.sentenceMessages.merging([.gns: 1, .gbs: 1, .dtm: 0]) { $1 },
  constellations: [.gps, .galileo, .sbas], dynamicModel: .sea)

/// The answers that identify the makes, in the order of the table.
private let introductions = [
  version, "PAIR021,AG3335M", "PQTMVERNO,LG290P03", "PMTK705,AXN,1,PA1010D,1.0", "PGRMT,GPS 18x-5Hz,P,P,R,R,P,,23,",
]

@Test(arguments: introductions)
func `every setting has one result, whatever a receiver answers, and no command saves a setting`(introduction: String)
  throws
{
  let answers = [
    "PAIR001,062,3", "PAIR001,050,0", "PAIR067", "PAIR067,", "PMTK001,353", "PMTK001,353,3,", "PMTK514",
    "PMTK514,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "PMTK001,414,1", "PQTMCFGMSGRATE", "PQTMCFGMSGRATE,ERROR",
    "PQTMCFGFIXRATE,OK", "PQTMCFGFIXRATE,OK,-1", "PQTMCFGFIXRATE,OK,99999999999999999999", "PQTMCFGCNST,OK",
    "GPTXT,01,01,02,MO=", "GPTXT", "", ",", introduction,
  ]
  for seed in 0..<200 {
    var setup = ReceiverSetup(complete)
    var numbers = SplitMix64(seed: UInt64(seed))
    var now = at(0)
    var sent = setup.open(isSpeedKnown: true, at: now) + setup.receive(introduction, at: now)
    for _ in 0..<2000 {
      guard let deadline = setup.nextDeadline else { break }
      if seed > 0, Int.random(in: 0..<3, using: &numbers) > 0, let answer = answers.randomElement(using: &numbers) {
        sent += setup.receive(answer, at: now)
      } else {
        now = max(now, deadline)
        if setup.needsCounts {
          setup.receive(SentenceCounts([.gga: Int.random(in: 0..<100, using: &numbers), .rmc: 1]))
        }
        sent += setup.pass(to: now)
      }
    }
    try #require(setup.nextDeadline == nil)
    let names = setup.report?.entries.map { setup.settings.name(of: $0.setting) } ?? []
    try #require(Set(names).count == names.count)
    try #require(
      Set(names).isSuperset(of: ["rate", "dynamic-model", "constellations", "gst", "gga", "gll-off", "gbs"]))
    let text = String(decoding: sent, as: UTF8.self)
    for save in ["PCAS00", "PAIR513", "PQTMSAVEPAR", "PGRMC,", "PGRMO"] { #expect(!text.contains(save)) }
  }
}
