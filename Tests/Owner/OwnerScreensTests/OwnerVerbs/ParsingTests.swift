import LineProtocol
import OwnerScreens
import Testing

@Test(arguments: [
  ("APPS", "APPS"), ("allow ferry ALWAYS", "SET ferry status always"), ("  deny   ferry ", "SET ferry status denied"),
  ("reset a.b-c_9", "RESET a.b-c_9"), ("key ADD ferry token", "KEY ADD ferry token"), ("log 5", "LOG limit=5"),
  ("log ferry", "LOG app=ferry limit=10"), ("log 7 5", "LOG app=7 limit=5"),
  ("log ferry 2000", "LOG app=ferry limit=2000"), ("place", "PLACE LIST"),
  ("place add harbour 300", "PLACE ADD harbour 300.0"),
  ("place ADD b.1_x-y 100.5 -33.86 151.21", "PLACE ADD b.1_x-y 100.5 -33.86 151.21"),
  ("place remove harbour", "PLACE DEL harbour"), ("place allow ferry harbour", "PLACE ALLOW ferry harbour"),
  ("place allow ferry harbour pier", "PLACE ALLOW ferry harbour pier"), ("place deny ferry", "PLACE DENY ferry"),
  ("place deny ferry harbour pier", "PLACE DENY ferry harbour pier"),
])
func `a line is parsed with any case and number of spaces, and with each form of its arguments`(
  line: String, command: String
) throws {
  #expect(try OwnerVerb(parsing: line).commands.first?.line == command)
}

@Test(arguments: [
  ("answer yes", nil, PromptChoice.yes, nil), ("answer 3 while-using", 3, .whileUsing, nil),
  ("answer once reduced", nil, .once, FixAccuracy.reduced), ("ANSWER 3 NO", 3, .no, nil),
])
func `an answer has a prompt, a choice and an accuracy`(
  line: String, prompt: Int?, choice: PromptChoice, accuracy: FixAccuracy?
) throws {
  let values = try OwnerVerb(parsing: line).values
  #expect(values.prompt == prompt && values.choice == choice && values.accuracy == accuracy)
}

@Test func `each command and each key of top stands once in the table, and no key has another meaning`() {
  let names = VerbRow.table.map(\.name)
  #expect(Set(names).count == names.count)
  let letters = VerbRow.table.flatMap(\.keys).map(\.letter)
  #expect(Set(letters).count == letters.count && Set(letters).isDisjoint(with: "jkq?h y0123456789".unicodeScalars))
}

@Test(arguments: [
  ("", VerbError(nil, .empty)), ("fly", VerbError(nil, .unknown("fly", nearest: nil))),
  ("stauts", VerbError(nil, .unknown("stauts", nearest: "status"))), ("show", VerbError("show", .missing(.app))),
  ("deny fe/rry", VerbError("deny", .misread("fe/rry", .app, nearest: nil))),
  ("allow ferry once", VerbError("allow", .misread("once", .allowance, nearest: nil))),
  ("allow ferry alwyas", VerbError("allow", .misread("alwyas", .allowance, nearest: "always"))),
  ("accuracy ferry", VerbError("accuracy", .missing(.accuracy))), ("answer", VerbError("answer", .missing(.choice))),
  ("answer 3", VerbError("answer", .missing(.choice))),
  ("answer no reduced", VerbError("answer", .accuracyOfNo("reduced"))),
  ("answer 0 yes", VerbError("answer", .misread("0", .prompt, nearest: nil))),
  ("answer 3x yes", VerbError("answer", .misread("3x", .prompt, nearest: nil))),
  ("key", VerbError("key", .missing(.action))), ("key add", VerbError("key", .missing(.app))),
  ("key ad ferry", VerbError("key", .misread("ad", .action, nearest: "add"))),
  ("key add ferry tokens", VerbError("key", .misread("tokens", .token, nearest: "token"))),
  ("key revoke ferry token", VerbError("key", .surplus("token"))),
  ("log ferry many", VerbError("log", .misread("many", .count, nearest: nil))),
  ("log 0", VerbError("log", .misread("0", .count, nearest: nil))),
  ("log ferry 2001", VerbError("log", .misread("2001", .count, nearest: nil))),
  ("lock now", VerbError("lock", .surplus("now"))),
  ("place ad harbour", VerbError("place", .misread("ad", .action, nearest: "add"))),
  ("place add", VerbError("place", .missing(.name))),
  ("place add away 300", VerbError("place", .misread("away", .name, nearest: nil))),
  ("place add har/bour 300", VerbError("place", .misread("har/bour", .name, nearest: nil))),
  ("place add harbour", VerbError("place", .missing(.radius))),
  ("place add harbour wide", VerbError("place", .misread("wide", .radius, nearest: nil))),
  ("place add harbour 1e3", VerbError("place", .misread("1e3", .radius, nearest: nil))),
  ("place add harbour 300 47", VerbError("place", .missing(.centre))),
  ("place add harbour 300 91 8", VerbError("place", .misread("91", .centre, nearest: nil))),
  ("place add harbour 300 47 200", VerbError("place", .misread("200", .centre, nearest: nil))),
  ("place add harbour 300 47 8 9", VerbError("place", .surplus("9"))),
  ("place remove", VerbError("place", .missing(.name))),
  ("place allow ferry", VerbError("place", .missing(.names))),
  ("place deny fe/rry", VerbError("place", .misread("fe/rry", .app, nearest: nil))),
  ("place list harbour", VerbError("place", .surplus("harbour"))),
])
func `an invalid line is reported with its error`(line: String, error: VerbError) {
  #expect(throws: error) { try OwnerVerb(parsing: line) }
}
