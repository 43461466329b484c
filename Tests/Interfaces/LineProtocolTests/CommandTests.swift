import Base
import GNSS
import LineProtocol
import Testing

private func command(_ line: String) throws -> TaggedCommand { try TaggedCommand(parsing: line) }

@Test(arguments: [
  ("HELLO 1 app=park-finder keepalive=60", Command.hello(Hello(app: "park-finder"))),
  ("hello 1,2 app=a keepalive=0 session=0f", .hello(Hello(versions: [1, 2], app: "a", keepalive: 0, session: "0f"))),
  ("HELLO", .hello(Hello(versions: [], app: nil))),
  ("HELLO 1 app=a colour=blue crc", .hello(Hello(app: "a", usesCRC: true))),
  (
    "HELLO 1 app=a nonce=00112233445566778899aabbccddeeFF",
    .hello(Hello(app: "a", nonce: "00112233445566778899aabbccddeeFF"))
  ),
  ("AUTH token=s3cret", .authenticate(.token("s3cret"))),
  (
    "auth hmac=" + String(repeating: "0f", count: 32),
    .authenticate(.hmac(String(repeating: "0f", count: 32)))
  ),
  ("KEY ADD ferry", .owner(.addKey(app: "ferry"))),
  ("KEY ADD ferry token", .owner(.addKey(app: "ferry", isToken: true))),
  ("key revoke ferry", .owner(.revokeKey(app: "ferry"))),
  ("RELOAD", .owner(.reload)), ("PAGE", .owner(.page)),
  ("REQ once", .requestOnce(OnceRequest())),
  (
    "REQ once accuracy=reduced max-age=500 timeout=30 press=required purpose=Find parks, please",
    .requestOnce(
      OnceRequest(
        accuracy: .reduced, maximumAge: 500, timeout: 30, requiresPress: true, purpose: "Find parks, please"))
  ),
  ("req  once   timeout=1", .requestOnce(OnceRequest(timeout: 1))),
  ("UNSUB s1", .unsubscribe(sid: "s1", after: nil)),
  ("UNSUB s1 3", .unsubscribe(sid: "s1", after: 3)),
  ("CANCEL", .cancel), ("ACK 17", .acknowledge(17)), ("STATUS", .status), ("PING", .ping), ("HELP", .help),
  ("bye", .bye), ("APPS", .owner(.apps)), ("LOCK", .owner(.lock)),
  ("REGION DEL zoo-1", .region(.remove(id: "zoo-1"))), ("region list", .region(.list)),
  ("PROMPTS", .owner(.prompts)), ("REGIONS", .owner(.regions(app: nil))),
  ("regions app=ferry", .owner(.regions(app: "ferry"))), ("SKY", .owner(.sky)),
  ("SESSIONS", .owner(.sessions(app: nil, limit: nil))),
  ("SESSIONS app=ferry limit=5 after=7", .owner(.sessions(app: "ferry", limit: 5, after: 7))),
  ("LOG", .owner(.log(since: nil, app: nil, limit: nil))),
  ("LOG app=a limit=5", .owner(.log(since: nil, app: "a", limit: 5))),
  ("LOG after=0 limit=5", .owner(.log(since: nil, app: nil, limit: 5, after: 0))),
  ("VERIFY", .owner(.verify)), ("COUNTS", .owner(.counts(since: nil))),
  (
    "COUNTS since=2026-11-21T07:31:34.000Z",
    .owner(.counts(since: UTCTime(nanosecondsSince1970: 1_795_246_294_000_000_000)))
  ),
  ("ANSWER 3 yes", .owner(.answer(prompt: 3, .yes, accuracy: nil))),
  ("ANSWER 3 NO", .owner(.answer(prompt: 3, .no, accuracy: nil))),
  ("ANSWER 3 while-using accuracy=reduced", .owner(.answer(prompt: 3, .whileUsing, accuracy: .reduced))),
  (
    "ANSWER 3 once language=zh-Hans surface=page",
    .owner(.answer(prompt: 3, .once, accuracy: nil, on: PromptDisplay(language: "zh-Hans", surface: .page)))
  ),
  ("START updates", .startUpdates(UpdatesRequest())),
  (
    "start updates interval=5000 distance=20 background",
    .startUpdates(UpdatesRequest(interval: 5000, distance: 20, isBackground: true))
  ),
  ("STOP updates", .stopUpdates), ("STATE Background", .state(isInBackground: true)),
  ("STATE foreground", .state(isInBackground: false)),
  ("AUTHORIZE when-in-use", .authorize(.whenInUse, purpose: nil)),
  ("AUTHORIZE always purpose=Warn me, please", .authorize(.always, purpose: "Warn me, please")),
  ("AUTHORIZE full-accuracy purpose=x", .authorize(.fullAccuracy, purpose: "x")),
  ("SET ferry status whenInUse", .owner(.set(app: "ferry", .status(.whenInUse)))),
  ("set ferry status always for=7200", .owner(.set(app: "ferry", .status(.always, for: .seconds(7200))))),
  ("PLACE ADD harbour 300", .owner(.place(.add(name: "harbour", radius: 300, centre: nil)))),
  (
    "place add harbour 300.5 47.25 -8.5",
    .owner(.place(.add(name: "harbour", radius: 300.5, centre: Coordinate(latitude: 47.25, longitude: -8.5))))
  ),
  ("PLACE DEL harbour", .owner(.place(.remove(name: "harbour")))), ("PLACE LIST", .owner(.place(.list))),
  ("PLACE ALLOW ferry harbour Home", .owner(.place(.allow(app: "ferry", names: ["harbour", "Home"])))),
  ("PLACE DENY ferry", .owner(.place(.deny(app: "ferry", names: [])))),
  ("PLACE DENY ferry harbour", .owner(.place(.deny(app: "ferry", names: ["harbour"])))),
  ("SET ferry accuracy place", .owner(.set(app: "ferry", .accuracy(.place)))),
  ("SET ferry accuracy reduced", .owner(.set(app: "ferry", .accuracy(.reduced)))),
  ("USE ferry", .owner(.use(app: "ferry"))), ("RESET ferry", .owner(.reset(app: "ferry"))),
  ("PRESS", .owner(.press(milliseconds: nil, button: nil))),
  ("PRESS ms=250 button=left", .owner(.press(milliseconds: 250, button: "left"))),
  ("HOLD", .owner(.hold(button: nil))),
  ("DISPLAY", .owner(.display(frame: nil, prompt: nil))),
  (
    "DISPLAY frame=1500000000 prompt=3",
    .owner(.display(frame: MonotonicInstant(nanoseconds: 1_500_000_000), prompt: 3))
  ),
])
func `each line is read as its command`(line: String, expected: Command) throws {
  #expect(try command(line) == TaggedCommand(expected))
}

@Test(arguments: ["LOG", "COUNTS"])
func `a time in a command is cut to milliseconds, so that the command reads back the same`(verb: String) throws {
  let read = try command("\(verb) since=2026-11-21T07:31:34.242021Z")
  #expect(read.line == "\(verb) since=2026-11-21T07:31:34.242Z")
  #expect(try command(read.line) == read)
}

@Test(arguments: [
  ("", ErrorCode.badLine), ("FLY", .unknownVerb), ("ÄPFEL", .unknownVerb), ("REQ", .badArgument),
  ("REQ twice", .badArgument), ("REQ once timeout=0", .badArgument), ("REQ once timeout=3601", .badArgument),
  ("REQ once timeout=1e3", .badArgument), ("REQ once timeout=+5", .badArgument), ("REQ once timeout=", .badArgument),
  ("REQ once timeout=99999999999999999999", .badArgument), ("REQ once max-age=60001", .badArgument),
  ("REQ once accuracy=exact", .badArgument), ("REQ once press=maybe", .badArgument),
  ("SUB", .badArgument), ("SUB fix/once", .badArgument), ("SUB fix/once s1 2", .badArgument),
  ("SUB fix//once s1", .badTopic), ("SUB fix/#/once s1", .badTopic), ("SUB fix+ s1", .badTopic),
  ("SUB fix/once späti", .badArgument), ("UNSUB", .badArgument), ("UNSUB s1 0", .badArgument),
  ("ACK", .badArgument), ("ACK 0", .badArgument), ("ACK -1", .badArgument), ("ANSWER 1", .badArgument),
  ("ANSWER 1 perhaps", .badArgument), ("ANSWER 1 once accuracy=exact", .badArgument),
  ("ANSWER 1 once language=d", .badArgument), ("ANSWER 1 once language=de_CH", .badArgument),
  ("ANSWER 1 once language=abcdefghijklmnopq", .badArgument), ("ANSWER 1 once language=日本", .badArgument),
  ("ANSWER 1 once surface=door", .badArgument),
  ("START", .badArgument),
  ("START engines", .badArgument), ("START updates interval=-1", .badArgument), ("STOP", .badArgument),
  ("STATE", .badArgument), ("STATE sideways", .badArgument), ("AUTHORIZE", .badArgument),
  ("AUTHORIZE never", .badArgument), ("AUTHORIZE full-accuracy", .badArgument),
  ("AUTHORIZE full-accuracy purpose", .badArgument), ("AUTHORIZE full-accuracy purpose=", .badArgument),
  ("AUTHORIZE always purpose=a\u{202E}b", .badArgument), ("SET", .badArgument), ("SET ferry", .badArgument),
  ("SET ferry status restricted", .badArgument), ("SET ferry accuracy exact", .badArgument), ("USE", .badArgument),
  ("PLACE ADD harbour 99.9", .badArgument), ("PLACE ADD harbour 99.9 47.25 -8.5", .badArgument),
  ("PLACE ADD harbour 100000.1", .badArgument),
  ("LOG since=yesterday", .badArgument), ("COUNTS since=yesterday", .badArgument), ("LOG after=-1", .badArgument),
  ("PRESS ms=0", .badArgument), ("LOG limit=0", .badArgument), ("LOG limit=2001", .badArgument),
  ("HELLO 1 app=a nonce=0", .badArgument), ("AUTH", .badArgument), ("AUTH token=", .badArgument),
  ("AUTH hmac=00", .badArgument), ("AUTH password=x", .badArgument), ("KEY ferry", .badArgument),
  ("KEY ADD", .badArgument),
  ("HELLO x app=a", .badArgument), ("HELLO 1 keepalive=-1", .badArgument), ("@ PING", .badArgument),
  ("@bad/tag PING", .badArgument), ("PING\u{7}", .badLine), ("REQ once purpose=a\tb", .badLine),
  ("REQ once purpose=a\u{202E}b", .badArgument), ("REQ once purpose=a\u{00A0}b", .badArgument),
])
func `an invalid line is refused with its code`(line: String, code: ErrorCode) {
  #expect { try command(line) } throws: { ($0 as? RejectedLine)?.error.code == code }
}

@Test func `a purpose has at most 80 columns, and wide letters count two`() throws {
  let fits = String(repeating: "x", count: 80)
  #expect(try command("REQ once purpose=\(fits)").command == .requestOnce(OnceRequest(purpose: fits)))
  #expect(throws: RejectedLine.self) { try command("REQ once purpose=\(fits)x") }
  #expect(throws: RejectedLine.self) { try command("REQ once purpose=" + String(repeating: "公", count: 41)) }
  #expect(throws: Never.self) { try command("REQ once purpose=" + String(repeating: "公", count: 40)) }
  // Vietnamese and half-width letters are narrow, and combining marks have no width.
  for text in ["ế", "ｶ", "e\u{302}\u{301}"] {
    let fits = String(repeating: text, count: 80)
    #expect(try command("REQ once purpose=\(fits)").command == .requestOnce(OnceRequest(purpose: fits)))
    #expect(throws: RejectedLine.self) { try command("REQ once purpose=\(fits)x") }
  }
  #expect(throws: Never.self) { try command("REQ once purpose=" + String(repeating: "🚀", count: 40)) }
  #expect(throws: RejectedLine.self) { try command("REQ once purpose=" + String(repeating: "🚀", count: 41)) }
}

@Test(arguments: [
  "\u{1161}a", "a" + String(repeating: "\u{301}", count: 4), "a”\u{308}", "a \u{301}b", "5\u{20E3}", "a\u{2028}b",
  "a\u{3000}b", "a\u{200B}b", "a\u{115F}b",
  "a\u{3164}b", "a\u{FE0F}", "a\u{E0041}b", "a\u{AD}b", "\u{9B}0m", "a\u{E000}b", "a\u{378}b",
  // Emoji: a heart with a variation selector, a family with joiners, and a digit in a box.
  "\u{2764}\u{FE0F}", "\u{1F468}\u{200D}\u{1F467}", "1\u{FE0F}\u{20E3}",
])
func `a purpose has no invisible characters and no line breaks`(text: String) {
  #expect { try command("REQ once purpose=\(text)") } throws: { ($0 as? RejectedLine)?.error.code == .badArgument }
}

@Test func `a tag comes back with the command, and with its refusal`() throws {
  #expect(try command("@a-1 PING") == TaggedCommand(.ping, tag: "@a-1"))
  #expect { try command("@a-1 FLY") } throws: { ($0 as? RejectedLine)?.tag == "@a-1" }
}

@Test func `each verb is for apps, for owners, or for both`() {
  let (apps, owners) = (Command.verbs(forOwners: false), Command.verbs(forOwners: true))
  #expect(Set(apps).intersection(owners) == ["HELLO", "SUB", "UNSUB", "STATUS", "PING", "HELP", "BYE"])
  #expect(apps.contains("REQ") && !owners.contains("REQ") && owners.contains("PLACE") && !apps.contains("PLACE"))
  #expect(owners.filter { Command.isOwners(verb: $0) } == owners.filter { !apps.contains($0) })
  #expect(!apps.contains { Command.isOwners(verb: $0) } && !Command.isOwners(verb: "FLY"))
}

@Test func `commands that only take something back are withdrawals`() throws {
  let withdrawals = [
    "CANCEL", "STOP updates", "STATE background", "REGION DEL a", "BYE", "LOCK", "SET a status denied",
    "SET a accuracy place", "RESET a", "KEY REVOKE a", "PLACE DEL a", "PLACE DENY a", "PLACE DENY a b", "ANSWER 1 no",
  ]
  let others = [
    "REQ once", "START updates", "STATE foreground", "AUTHORIZE always", "REGION LIST", "SUB # a", "PING", "STATUS",
    "SET a status whenInUse", "SET a status notDetermined", "SET a accuracy reduced", "KEY ADD a", "PLACE ALLOW a b",
    "PLACE LIST", "ANSWER 1 once", "USE a", "HOLD", "RELOAD", "LOG",
  ]
  for (lines, isWithdrawal) in [(withdrawals, true), (others, false)] {
    for line in lines { #expect(try command(line).command.isWithdrawal == isWithdrawal, "\(line)") }
  }
}

@Test func `the tag of a line is found without the rest of it`() {
  let lines = [
    ("@a-1 PING", "@a-1"), ("  @a-1", "@a-1"), ("@a \u{7}", "@a"), ("PING @a", nil), ("@ PING", nil), ("", nil),
  ]
  for (line, tag) in lines { #expect(TaggedCommand.tag(of: line.utf8Span.span) == tag, "\(line)") }
  for line in ["@a/b PING", "@\(String(repeating: "a", count: 33)) PING"] {
    #expect(TaggedCommand.tag(of: line.utf8Span.span) == nil)
  }
}

@Test func `the error about an unknown verb contains only its beginning`() {
  let letter = "e" + String(repeating: "\u{301}", count: 1000)
  #expect { try command(letter) } throws: { error in
    guard let error = (error as? RejectedLine)?.error else { return false }
    return error.code == .unknownVerb && error.text.utf8.count < 120
  }
}
