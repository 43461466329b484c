import Base
import LineProtocol
import OwnerScreens
import Testing

private func heard(_ json: String, on topic: Topic = .ownerPrompt) -> OwnerNotification? {
  OwnerNotification(ServerLine.Message(topic: topic.rawValue, sid: "s", json: json))
}

private func closed(_ more: String) -> String {
  #"{"prompt":3,"app":"ferry","kind":"confirm","text":"?","choices":"yes,no",\#(more)}"#
}

@Test(arguments: [
  (#""state":"yes","by":"button""#, "ferry: answered at the button: yes"),
  (#""state":"no","by":"button""#, "ferry: answered at the button: no"),
  (#""state":"yes","by":"owner""#, "ferry: answered by another owner: yes"),
  (#""state":"no","by":"owner""#, "ferry: answered by another owner: no"),
  (#""state":"unanswered""#, "ferry: no answer"), (#""state":"withdrawn","by":"owner""#, "ferry: question withdrawn"),
  (#""state":"locked","by":"button""#, "ferry: question cancelled by the lock"),
])
func `the other owners are notified of the decision and its author`(more: String, line: String) throws {
  let news = try #require(heard(closed(more)))
  #expect(news.report(language: .english, columns: 80).lines == [line] && news.prompt == 3 && !news.isOpenPrompt)
}

@Test func `the notification of an open question contains the app's quoted text and the choices`() throws {
  let news = try #require(heard(SimulatedGateway.State.question))
  #expect(news.isOpenPrompt && news.choices == ["once", "while-using", "no"])
  #expect(
    news.report(language: .german, columns: 80).lines == [
      "#3  Diesen Standort mit Fähre 公園 teilen?", "  Fähre 公園 sagt: „To warn of shallows, in time“",
      "  Antwort: once (Einmal erlauben), while-using (Beim Verwenden), no (Nicht",
      "    erlauben)", "  Genauigkeit: full (genau), reduced (ungefähr)",
    ])
}

@Test(arguments: [
  (#""press":"answers""#, "The next press answers this."),
  (#""press":"serves","press-app":"Ferry""#, "The next press is for Ferry."),
  (#""press":"otherwise""#, "The button does not answer this."),
  (#""press":"otherwise","press-reason":"another-button""#, "Only another button answers this."),
  (#""press":"otherwise","press-reason":"another-question""#, "The button answers another question first."),
  (#""press":"otherwise","press-reason":"another-app""#, "An app at another button comes first."),
  (#""press":"otherwise","press-reason":"after-fix""#, "The button answers this after the present fix."),
  (#""press":"otherwise","press-reason":"time-over""#, "The button’s ten seconds for this are over."),
  (#""press":"otherwise","press-reason":"word-of-later""#, "The button does not answer this."),
  (#""press":"answers","press-buttons":"main,aft""#, "Button main, aft. The next press answers this."),
])
func `the notification of an open question describes the next press`(press: String, line: String) throws {
  let question = SimulatedGateway.State.question.replacing(#""state":"open""#, with: #""state":"open",\#(press)"#)
  #expect(try #require(heard(question)).report(language: .english, columns: 80).lines.last == "  \(line)")
}

@Test func `a question of an unknown kind is shown with the gateway's text`() throws {
  let json = #"{"prompt":3,"app":"ferry","kind":"riddle","text":"What walks?","choices":"yes","state":"open"}"#
  #expect(try #require(heard(json)).report(language: .german, columns: 80).lines.first == "#3  What walks?")
}

@Test(arguments: [
  (#""says":"Tie up","event":"enter"}"#, ["ferry: region harbour was entered", "  ferry says: “Tie up”"]),
  (
    #""name":"Fähre","says":"Cast off","event":"exit"}"#,
    ["Fähre: region harbour was left", "  Fähre says: “Cast off”"]
  ), (#""event":"right-ended","shown":"never"}"#, ["ferry: the time is over, now Never"]),
])
func `D6: the notification of a border has the app's quoted text, and the end of a right says what applies now`(
  more: String, lines: [String]
) throws {
  let json = #"{"app":"ferry","region":"harbour","# + more
  let told = try #require(heard(json, on: .ownerNotification))
  let report = told.report(language: .english, columns: 80)
  #expect(report.lines == lines && report.json == [json] && told.prompt == nil)
}

@Test(arguments: [(Topic.ownerApps, "{}"), (.ownerPrompt, "{}"), (.ownerPrompt, "["), (.ownerNotification, "nothing")])
func `other messages are not notifications`(topic: Topic, json: String) { #expect(heard(json, on: topic) == nil) }
