import LineProtocol
import Testing

@testable import OwnerScreens

private let vocabulary = Vocabulary(
  apps: ["ferry", "fishing", "logbook"], choices: ["once", "while-using", "no"], others: ["help"])

@Test(arguments: [
  ([], "a", ["accuracy", "allow", "answer", "apps"]), ([], "he", ["help"]), ([], "x", []),
  (["show"], "f", ["ferry", "fishing"]), (["SHOW"], "F", ["ferry", "fishing"]), (["show", "ferry"], "", []),
  (["allow"], "l", ["logbook"]), (["allow", "ferry"], "", ["always", "for", "while-using"]),
  (["allow", "ferry", "always"], "", ["for"]), (["allow", "ferry", "for"], "", ["1d", "2h", "30m", "7d", "8h"]),
  (["allow", "ferry", "always", "for"], "2", ["2h"]), (["allow", "ferry", "for", "2h"], "", []),
  (["accuracy", "ferry"], "r", ["reduced"]), (["answer"], "", ["no", "once", "while-using"]),
  (["answer", "3"], "w", ["while-using"]), (["answer", "3", "once"], "", ["full", "place", "reduced"]),
  (["answer", "once"], "f", ["full"]), (["answer", "once", "full"], "", []), (["answer", "NO"], "", []),
  (["log"], "lo", ["logbook"]), (["key"], "", ["add", "revoke"]), (["key", "add"], "l", ["logbook"]),
  (["key", "add", "ferry"], "", ["token"]), (["key", "revoke", "ferry"], "", []),
  (["place"], "", ["add", "allow", "deny", "list", "remove"]), (["place", "allow"], "l", ["logbook"]),
  (["place", "add"], "", []), (["help"], "pro", ["prompts"]), (["status"], "", []), (["nothing"], "", []),
])
func `completions are listed in alphabetical order`(words: [String], beginning: String, offered: [String]) {
  #expect(vocabulary.completions(after: words, beginning: beginning) == offered)
}

@Test func `every completed line can be parsed as a verb, and an unknown prompt has every choice`() throws {
  // No completion knows the name of a new place.
  for verb in vocabulary.completions(after: [], beginning: "") where verb != "help" && verb != "place" {
    var words = [verb]
    while let next = vocabulary.completions(after: words, beginning: "").first { words.append(next) }
    #expect(throws: Never.self) { try OwnerVerb(words: words) }
  }
  #expect(Vocabulary().completions(after: ["answer"], beginning: "").count == 6)
}
