import OwnerVerbs
import Testing

private let vocabulary = Vocabulary(
  apps: ["ferry", "fishing", "logbook"], choices: ["once", "while-using", "no"], others: ["help"])

@Test(arguments: [
  ([], "a", ["accuracy", "allow", "answer", "apps"]), ([], "he", ["help"]), ([], "x", []),
  (["show"], "f", ["ferry", "fishing"]), (["SHOW"], "F", ["ferry", "fishing"]), (["show", "ferry"], "", []),
  (["allow"], "l", ["logbook"]), (["allow", "ferry"], "", ["always", "while-using"]),
  (["accuracy", "ferry"], "r", ["reduced"]), (["answer"], "", ["no", "once", "while-using"]),
  (["answer", "3"], "w", ["while-using"]), (["answer", "3", "once"], "", ["full", "reduced"]),
  (["answer", "once"], "f", ["full"]), (["answer", "once", "full"], "", []), (["answer", "NO"], "", []),
  (["log"], "lo", ["logbook"]), (["key"], "", ["add", "revoke"]), (["key", "add"], "l", ["logbook"]),
  (["key", "add", "ferry"], "", ["token"]), (["key", "revoke", "ferry"], "", []),
  (["help"], "pro", ["prompts"]), (["status"], "", []), (["nothing"], "", []),
])
func `what may follow is offered in the order of letters`(words: [String], beginning: String, offered: [String]) {
  #expect(vocabulary.completions(after: words, beginning: beginning) == offered)
}

@Test func `every choice is offered where it is not known what is asked`() {
  #expect(Vocabulary().completions(after: ["answer"], beginning: "").count == 6)
}

@Test func `whatever is offered reads as a verb where the line is complete`() throws {
  for verb in vocabulary.completions(after: [], beginning: "") where verb != "help" {
    var words = [verb]
    while let next = vocabulary.completions(after: words, beginning: "").first { words.append(next) }
    #expect(throws: Never.self) { try OwnerVerb(words: words) }
  }
}
