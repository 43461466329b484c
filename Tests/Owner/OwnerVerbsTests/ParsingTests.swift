import GNSS
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
  ("receiver", .receiver), ("lock", .lock), ("reload", .reload), ("page", .page), ("place list", .place(.list)),
  ("place add harbour 300", .place(.add(name: "harbour", radius: 300, centre: nil))),
  (
    "place ADD b.1_x-y 100.5 -33.86 151.21",
    .place(.add(name: "b.1_x-y", radius: 100.5, centre: Coordinate(latitude: -33.86, longitude: 151.21)))
  ),
  ("place remove harbour", .place(.remove(name: "harbour"))),
  ("place allow ferry harbour", .place(.allow(app: "ferry", names: ["harbour"]))),
  ("place allow ferry harbour pier", .place(.allow(app: "ferry", names: ["harbour", "pier"]))),
  ("place deny ferry", .place(.deny(app: "ferry", names: []))),
  ("place deny ferry harbour pier", .place(.deny(app: "ferry", names: ["harbour", "pier"]))),
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
  ("place ad harbour", VerbError(.place, .misread("ad", .placeAction, nearest: "add"))),
  ("place add", VerbError(.place, .missing(.placeName))),
  ("place add away 300", VerbError(.place, .misread("away", .placeName, nearest: nil))),
  ("place add har/bour 300", VerbError(.place, .misread("har/bour", .placeName, nearest: nil))),
  ("place add harbour", VerbError(.place, .missing(.decimal))),
  ("place add harbour wide", VerbError(.place, .misread("wide", .decimal, nearest: nil))),
  ("place add harbour 1e3", VerbError(.place, .misread("1e3", .decimal, nearest: nil))),
  ("place add harbour 300 47", VerbError(.place, .missing(.decimal))),
  ("place add harbour 300 91 8", VerbError(.place, .misread("91", .decimal, nearest: nil))),
  ("place add harbour 300 47 200", VerbError(.place, .misread("200", .decimal, nearest: nil))),
  ("place add harbour 300 47 8 9", VerbError(.place, .surplus("9"))),
  ("place remove", VerbError(.place, .missing(.placeName))),
  ("place allow ferry", VerbError(.place, .missing(.placeName))),
  ("place deny fe/rry", VerbError(.place, .misread("fe/rry", .app, nearest: nil))),
  ("place list harbour", VerbError(.place, .surplus("harbour"))),
])
func `an invalid line is reported with its error`(line: String, error: VerbError) {
  #expect(throws: error) { try OwnerVerb(parsing: line) }
}
