import LineProtocol
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

@Test(
  arguments: [
    ("", .empty), ("fly", .unknown("fly", nearest: nil)), ("stauts", .unknown("stauts", nearest: "status")),
    ("show", .missing(.app)), ("deny fe/rry", .misread("fe/rry", .app, nearest: nil)),
    ("allow ferry once", .misread("once", .allowance, nearest: nil)),
    ("allow ferry alwyas", .misread("alwyas", .allowance, nearest: "always")), ("accuracy ferry", .missing(.accuracy)),
    ("answer", .missing(.choice)), ("answer 3", .missing(.choice)), ("answer no reduced", .accuracyOfNo("reduced")),
    ("answer 0 yes", .misread("0", .prompt, nearest: nil)), ("answer 3x yes", .misread("3x", .prompt, nearest: nil)),
    ("key", .missing(.action)), ("key add", .missing(.app)), ("key ad ferry", .misread("ad", .action, nearest: "add")),
    ("key add ferry tokens", .misread("tokens", .token, nearest: "token")),
    ("key revoke ferry token", .surplus("token")), ("log ferry many", .misread("many", .count, nearest: nil)),
    ("log 0", .misread("0", .count, nearest: nil)), ("log ferry 2001", .misread("2001", .count, nearest: nil)),
    ("lock now", .surplus("now")), ("place ad harbour", .misread("ad", .action, nearest: "add")),
    ("place add", .missing(.name)), ("place add away 300", .misread("away", .name, nearest: nil)),
    ("place add har/bour 300", .misread("har/bour", .name, nearest: nil)), ("place add harbour", .missing(.radius)),
    ("place add harbour wide", .misread("wide", .radius, nearest: nil)),
    ("place add harbour 1e3", .misread("1e3", .radius, nearest: nil)), ("place add harbour 300 47", .missing(.centre)),
    ("place add harbour 300 91 8", .misread("91", .centre, nearest: nil)),
    ("place add harbour 300 47 200", .misread("200", .centre, nearest: nil)),
    ("place add harbour 300 47 8 9", .surplus("9")), ("place remove", .missing(.name)),
    ("place allow ferry", .missing(.names)), ("place deny fe/rry", .misread("fe/rry", .app, nearest: nil)),
    ("place list harbour", .surplus("harbour")),
  ] as [(String, VerbError.Fault)])
func `an invalid line is reported with its error, and with its verb if there is one`(
  line: String, fault: VerbError.Fault
) {
  let word = line.split(separator: " ").first.map(String.init) ?? ""
  #expect(throws: VerbError(VerbRow.verbs.contains(word) ? word : nil, fault)) { try OwnerVerb(parsing: line) }
}
