import Languages
import LineProtocol
import OwnerVerbs
import Testing

@Test(arguments: [
  ("status", OwnerVerb.status), ("APPS", .apps), ("show ferry", .show(app: "ferry")),
  ("allow ferry", .allow(app: "ferry", .whileUsing)), ("allow ferry while-using", .allow(app: "ferry", .whileUsing)),
  ("allow ferry ALWAYS", .allow(app: "ferry", .always)), ("  deny   ferry ", .deny(app: "ferry")),
  ("reset a.b-c_9", .reset(app: "a.b-c_9")), ("accuracy ferry reduced", .accuracy(app: "ferry", .reduced)),
  ("prompts", .prompts), ("answer yes", .answer(prompt: nil, .yes, accuracy: nil)),
  ("answer 3 while-using", .answer(prompt: 3, .whileUsing, accuracy: nil)),
  ("answer once reduced", .answer(prompt: nil, .once, accuracy: .reduced)), ("regions", .regions(app: nil)),
  ("regions ferry", .regions(app: "ferry")), ("use ferry", .use(app: "ferry")),
  ("key add ferry", .addKey(app: "ferry", isToken: false)),
  ("key ADD ferry token", .addKey(app: "ferry", isToken: true)),
  ("key revoke ferry", .revokeKey(app: "ferry")), ("log", .log(app: nil, count: nil)),
  ("log 5", .log(app: nil, count: 5)), ("log ferry", .log(app: "ferry", count: nil)),
  ("log 7 5", .log(app: "7", count: 5)), ("log ferry 2000", .log(app: "ferry", count: 2000)),
  ("receiver", .receiver), ("lock", .lock), ("reload", .reload), ("page", .page),
])
func `a line is parsed as its verb`(line: String, verb: OwnerVerb) throws {
  #expect(try OwnerVerb(parsing: line) == verb)
}

@Test(arguments: [
  ("", VerbError(nil, .empty)), ("fly", VerbError(nil, .unknown("fly", nearest: nil))),
  ("stauts", VerbError(nil, .unknown("stauts", nearest: .status))), ("show", VerbError(.show, .missing(.app))),
  ("deny fe/rry", VerbError(.deny, .misread("fe/rry", .app, nearest: nil))),
  ("allow ferry once", VerbError(.allow, .misread("once", .allowance, nearest: nil))),
  ("allow ferry alwyas", VerbError(.allow, .misread("alwyas", .allowance, nearest: "always"))),
  ("accuracy ferry", VerbError(.accuracy, .missing(.accuracy))), ("answer", VerbError(.answer, .missing(.choice))),
  ("answer 3", VerbError(.answer, .missing(.choice))),
  ("answer no reduced", VerbError(.answer, .accuracyOfNo("reduced"))),
  ("answer 0 yes", VerbError(.answer, .misread("0", .prompt, nearest: nil))),
  ("answer 3x yes", VerbError(.answer, .misread("3x", .prompt, nearest: nil))),
  ("key", VerbError(.key, .missing(.keyAction))), ("key add", VerbError(.key, .missing(.app))),
  ("key ad ferry", VerbError(.key, .misread("ad", .keyAction, nearest: "add"))),
  ("key add ferry tokens", VerbError(.key, .misread("tokens", .keyKind, nearest: "token"))),
  ("key revoke ferry token", VerbError(.key, .surplus("token"))),
  ("log ferry many", VerbError(.log, .misread("many", .count, nearest: nil))),
  ("log 0", VerbError(.log, .misread("0", .count, nearest: nil))),
  ("log ferry 2001", VerbError(.log, .misread("2001", .count, nearest: nil))),
  ("lock now", VerbError(.lock, .surplus("now"))),
])
func `an invalid line is reported with its error`(line: String, error: VerbError) {
  #expect(throws: error) { try OwnerVerb(parsing: line) }
}
