import LineProtocol
import Testing

/// Returns the text of a message that a reader has read, and nil if the reader ignores the message.
private func again<Message: OwnerMessage>(_ type: Message.Type, _ json: String) -> String? {
  type.init(json: json)?.json
}

private let everyMessage: [(any OwnerMessage.Type, String)] = [
  (
    AppMessage.self,
    #"{"app":"a","name":"A","status":"always","shown":"always","provisional":false,"confirmed":true,"#
      + #""accuracy":"full","sessions":2,"armed":true,"next":true,"each-press":true,"in-use":false,"#
      + #""updates":"background","pause":"p","says":"s"}"#
  ),
  (AppMessage.self, #"{"app":"a","shown":"never","accuracy":"place"}"#),
  (
    PromptMessage.self,
    #"{"prompt":7,"app":"a","kind":"confirm","name":"A","text":"t","choices":"yes,no","accuracies":"full","#
      + #""says":"s","state":"open","press":"serves","press-app":"b","by":"owner","age_ms":12}"#
  ),
  (RegionMessage.self, #"{"app":"a","id":"r","radius":250.0,"events":"enter","state":"inside","text":"公園"}"#),
  (PlaceMessage.self, #"{"name":"p","radius":1540.5,"apps":""}"#),
  (NotificationMessage.self, #"{"app":"a","name":"A","region":"r","event":"exit","says":"s","time":"t"}"#),
  (
    SessionMessage.self,
    #"{"session":9,"app":"a","transport":"tls","peer":"p","since":"t","away":true,"armed":false,"in-use":true,"#
      + #""updates":"in-use"}"#
  ),
  (SatelliteMessage.self, #"{"gnss":"gps","id":5,"el":41,"az":301,"ss":44,"used":true}"#),
  (SatelliteMessage.self, #"{"id":70}"#),
  (
    EntryMessage.self,
    #"{"entry":4,"time":"t","app":"a","event":"disclosure","accuracy":"full","right":"once","transport":"unix","#
      + #""simulated":true,"late":true,"of":1,"outcome":"sent","fixes":12,"kind":"confirm","choice":"yes","#
      + #""says":"s","language":"de","by":"socket","user":4294967295}"#
  ),
  (FaultMessage.self, #"{"fault":"changed","entry":7,"text":"t"}"#),
  (CountMessage.self, #"{"day":"2026-11-21","app":"a","answer":"denied","count":2}"#),
  (MetricMessage.self, #"{"line":"onefix_locked 0"}"#),
]

@Test(arguments: everyMessage)
func `a reader finds each field of a message to owners`(type: any OwnerMessage.Type, json: String) {
  #expect(again(type, json) == json)
  #expect(again(type, json.dropLast() + #","new":[1]}"#) == json, "a newer gateway can send more fields")
}

@Test(
  arguments: [
    (AppMessage.self, #"{"app":"a","shown":"never"}"#),
    (AppMessage.self, #"{"app":"a","shown":"never","accuracy":"full","sessions":"2"}"#),
    (SatelliteMessage.self, #"{"id":1.5}"#), (EntryMessage.self, #"{"time":"t","event":"answer"}"#),
    (MetricMessage.self, "[]"), (MetricMessage.self, #"{"line":"#),
  ] as [(any OwnerMessage.Type, String)])
func `a reader ignores a message to owners without a necessary field or with a wrong type`(
  type: any OwnerMessage.Type, json: String
) {
  #expect(again(type, json) == nil)
}
