import Languages
import LineProtocol
import OwnerVerbs
import Testing

private func heard(_ json: String, on topic: Topic = .ownerPrompt) -> OwnerNews? {
  OwnerNews(ServerLine.Message(topic: topic.rawValue, sid: "s", json: json))
}

private func closed(_ more: String) -> String {
  #"{"prompt":3,"app":"ferry","kind":"confirm","text":"?","choices":"yes,no",\#(more)}"#
}

@Test(arguments: [
  (#""state":"yes","by":"button""#, "ferry: answered at the button: yes"),
  (#""state":"no","by":"button""#, "ferry: answered at the button: no"),
  (#""state":"yes","by":"owner""#, "ferry: answered by another owner: yes"),
  (#""state":"no","by":"owner""#, "ferry: answered by another owner: no"),
  (#""state":"unanswered""#, "ferry: nobody answered"), (#""state":"withdrawn","by":"owner""#, "ferry: asks no more"),
  (#""state":"locked","by":"button""#, "ferry: locked, so nothing is asked"),
])
func `the others are told who decided`(more: String, line: String) throws {
  let news = try #require(heard(closed(more)))
  #expect(news.report(language: .english, columns: 80).lines == [line])
  #expect(news.prompt == 3 && !news.isOpenPrompt)
}

@Test func `an open question is told with what the app says of itself, quoted, and what may be answered`() throws {
  let news = try #require(heard(SimulatedGateway.State.question))
  #expect(news.isOpenPrompt && news.choices == ["once", "while-using", "no"])
  #expect(
    news.report(language: .german, columns: 80).lines == [
      "#3  Darf Fähre 公園 wissen, wo das hier ist?", "  Fähre 公園 sagt: „To warn of shallows, in time“",
      "  Antwort: once (Einmal erlauben), while-using (Beim Verwenden), no (Nicht",
      "    erlauben)", "  Wie genau: full (genau), reduced (ungefähr)",
    ])
}

@Test(arguments: [
  (#""press":"answers""#, "The next press answers this."),
  (#""press":"serves","press-app":"Ferry""#, "The next press is for Ferry."),
  (#""press":"otherwise""#, "The button does not answer this."),
])
func `an open question says what the next press does`(press: String, line: String) throws {
  let question = SimulatedGateway.State.question.replacing(#""state":"open""#, with: #""state":"open",\#(press)"#)
  #expect(try #require(heard(question)).report(language: .english, columns: 80).lines.last == "  \(line)")
}

@Test func `a question that waits for its turn is told with what the app says of itself, too`() throws {
  let json =
    #"{"app":"ferry","kind":"authorize","text":"?","choices":"once,no","says":"To warn","state":"queued"}"#
  #expect(
    try #require(heard(json)).report(language: .english, columns: 80).lines == [
      "(later) May ferry know where this is?", "  ferry says: “To warn”",
    ])
}

@Test func `a question of a kind that is not known is told in the gateway's words`() throws {
  let json = #"{"prompt":3,"app":"ferry","kind":"riddle","text":"What walks?","choices":"yes","state":"open"}"#
  #expect(try #require(heard(json)).report(language: .german, columns: 80).lines.first == "#3  What walks?")
}

@Test func `a region that was entered or left is told, with the app's text quoted`() throws {
  let json = #"{"app":"ferry","region":"harbour","event":"enter","says":"Tie up"}"#
  let entered = try #require(heard(json, on: .ownerNotification))
  #expect(
    entered.report(language: .english, columns: 80).lines == [
      "ferry: region harbour was entered", "  ferry says: “Tie up”",
    ])
  #expect(entered.report(language: .english, columns: 80).json == [json] && entered.prompt == nil)
}

@Test func `a region's app is called by its name`() throws {
  let json = #"{"app":"ferry","name":"Fähre","region":"harbour","event":"exit","says":"Cast off"}"#
  #expect(
    try #require(heard(json, on: .ownerNotification)).report(language: .english, columns: 80).lines == [
      "Fähre: region harbour was left", "  Fähre says: “Cast off”",
    ])
}

@Test(arguments: [(Topic.ownerApps, "{}"), (.ownerPrompt, "{}"), (.ownerPrompt, "["), (.ownerNotification, "nothing")])
func `what is no news is none`(topic: Topic, json: String) { #expect(heard(json, on: topic) == nil) }
