import LineProtocol
import Testing

private func command(_ line: String) throws(RejectedLine) -> TaggedCommand { try TaggedCommand(parsing: line) }

/// Returns the refusal of a line; nil for a valid line.
private func refusal(_ line: String) -> RejectedLine? {
  do {
    _ = try command(line)
    return nil
  } catch {
    return error
  }
}

private let nonce = "00112233445566778899aabbccddeeFF"
private let proof = String(repeating: "0f", count: 32)

@Test(arguments: [
  ("HELLO 1 app=park-finder keepalive=60", Command.hello(Hello(app: "park-finder"))),
  ("HELLO", .hello(Hello(versions: [], app: nil))),
  ("HELLO 1 app=a colour=blue crc", .hello(Hello(app: "a", usesCRC: true))),
  ("REQ once", .requestOnce(OnceRequest())), ("req  once   timeout=1", .requestOnce(OnceRequest(timeout: 1))),
  ("START updates", .startUpdates(UpdatesRequest())), ("STATE Background", .state(isInBackground: true)),
  ("ANSWER 3 NO", .owner(.answer(prompt: 3, .no, accuracy: nil))),
  ("PLACE ADD harbour 300", .owner(.place(.add(name: "harbour", radius: 300, centre: nil)))),
])
func `each line is read as its command`(line: String, expected: Command) throws {
  #expect(try command(line) == TaggedCommand(expected))
}

/// The random commands that read back the same show that each argument has its own key.
@Test(arguments: [
  "HELLO 1,2 app=a keepalive=0 session=0f nonce=\(nonce) crc", "AUTH token=s3cret", "AUTH hmac=\(proof)",
  "SUB fix/once s1 1", "UNSUB s1 3", "STOP updates", "START updates interval=5000 distance=20 background",
  "REQ once accuracy=reduced max-age=500 timeout=30 press=required purpose=Find parks, please", "STATE foreground",
  "AUTHORIZE when-in-use purpose=Warn me, please", "AUTHORIZE full-accuracy purpose=x", "REGION DEL zoo-1", "ACK 17",
  "LOG since=2026-11-21T07:31:34.000Z app=a limit=5 after=0", "COUNTS since=2026-11-21T07:31:34.000Z",
  "REGIONS app=ferry", "SESSIONS app=ferry limit=5 after=7", "KEY ADD ferry token", "KEY REVOKE ferry", "USE ferry",
  "ANSWER 3 while-using accuracy=reduced language=abcdefghijklmnop surface=page", "RESET ferry",
  "SET ferry status always for=7200", "SET ferry accuracy place", "PLACE ADD harbour 300.5 47.25 -8.5",
  "PLACE ALLOW ferry harbour Home", "PLACE DENY ferry", "PLACE DEL harbour", "PRESS ms=250 button=left",
  "HOLD button=left", "DISPLAY frame=1500000000 prompt=3",
])
func `a command is written with the words with which it is read`(line: String) throws {
  #expect(try command(line).line == line)
}

@Test func `each control character is refused, and each other character of ASCII is not`() {
  for byte in 0x20...0x7E as ClosedRange<UInt8> {
    #expect(throws: Never.self) { try command("REQ once purpose=a\(Character(Unicode.Scalar(byte)))b") }
  }
  for byte in [UInt8](0...0x1F) + [0x7F] where byte != 0x0A {
    #expect(throws: RejectedLine.self) { try command("REQ once purpose=a\(Character(Unicode.Scalar(byte)))b") }
  }
}

@Test(arguments: ["LOG", "COUNTS"])
func `a time in a command is cut to milliseconds, so that the command reads back the same`(verb: String) throws {
  let read = try command("\(verb) since=2026-11-21T07:31:34.242021Z")
  #expect(read.line == "\(verb) since=2026-11-21T07:31:34.242Z")
  #expect(try command(read.line) == read)
}

@Test(arguments: [
  (ErrorCode.badLine, ["", "PING\u{7}", "REQ once purpose=a\tb"]),
  (.unknownVerb, ["FLY", "ÄPFEL"]),
  (.badTopic, ["SUB fix//once s1", "SUB fix/#/once s1", "SUB fix+ s1"]),
  (
    .badArgument,
    [
      "REQ", "REQ twice", "REQ once timeout=0", "REQ once timeout=3601", "REQ once timeout=1e3", "REQ once timeout=+5",
      "REQ once timeout=", "REQ once timeout=99999999999999999999", "REQ once max-age=60001",
      "REQ once accuracy=exact", "REQ once press=maybe", "SUB", "SUB fix/once", "SUB fix/once s1 2",
      "SUB fix/once späti", "UNSUB", "UNSUB s1 0", "ACK", "ACK 0", "ACK -1", "ANSWER 1", "ANSWER 1 perhaps",
      "ANSWER 1 once accuracy=exact", "ANSWER 1 once language=d", "ANSWER 1 once language=de_CH",
      "ANSWER 1 once language=abcdefghijklmnopq", "ANSWER 1 once language=日本", "ANSWER 1 once surface=door", "START",
      "START engines", "START updates interval=-1", "STOP", "STATE", "STATE sideways", "AUTHORIZE", "AUTHORIZE never",
      "AUTHORIZE full-accuracy", "AUTHORIZE full-accuracy purpose", "AUTHORIZE full-accuracy purpose=",
      "AUTHORIZE always purpose=a\u{202E}b", "SET", "SET ferry", "SET ferry status restricted",
      "SET ferry accuracy exact", "USE", "PLACE ADD harbour 99.9", "PLACE ADD harbour 99.9 47.25 -8.5",
      "PLACE ADD harbour 100000.1", "LOG since=yesterday", "COUNTS since=yesterday", "LOG after=-1", "PRESS ms=0",
      "LOG limit=0", "LOG limit=2001", "HELLO 1 app=a nonce=0", "AUTH", "AUTH token=", "AUTH hmac=00",
      "AUTH password=x", "KEY ferry", "KEY ADD", "HELLO x app=a", "HELLO 1 keepalive=-1", "@ PING", "@bad/tag PING",
      "REQ once purpose=a\u{202E}b", "REQ once purpose=a\u{00A0}b", "UNSUB s1 1000001",
      "UNSUB \(String(repeating: "s", count: 33))", "HELLO 0 app=a", "HELLO 1001 app=a", "HELLO 1 keepalive=86401",
      "HELLO 1 app=a nonce=\(nonce)0", "AUTH hmac=\(proof)0", "START updates interval=86400001",
      "START updates distance=1000001", "START updates distance=-1", "PRESS ms=60001", "ANSWER 0 yes",
      "DISPLAY prompt=0", "DISPLAY frame=-1", "SESSIONS limit=0", "SESSIONS after=-1",
      "SET ferry status always for=59", "SET ferry status always for=2592001", "SET ferry status denied for=60",
      "SET ferry accuracy full for=60",
    ]
  ),
])
func `an invalid line is refused with its code`(code: ErrorCode, lines: [String]) {
  for line in lines { #expect(refusal(line)?.error.code == code, "\(line)") }
}

@Test(arguments: [
  ("ACK 0", "a message id must be a whole number, 1 or more"),
  ("REQ once timeout=0", "timeout must be a whole number, 1 to 3600"),
])
func `the error about a number names its limits`(line: String, text: String) {
  #expect(refusal(line)?.error == LineError(.badArgument, text))
}

@Test(arguments: [
  // Vietnamese and half-width letters are narrow, and combining marks have no width.
  ("x", 80), ("ế", 80), ("ｶ", 80), ("e\u{302}\u{301}", 80), ("公", 40), ("🚀", 40),
])
func `a purpose has at most 80 columns, and wide letters count two`(letter: String, count: Int) throws {
  let fits = String(repeating: letter, count: count)
  #expect(try command("REQ once purpose=\(fits)").command == .requestOnce(OnceRequest(purpose: fits)))
  #expect(refusal("REQ once purpose=\(fits)\(letter)") != nil)
}

@Test(arguments: [
  "\u{1161}a", "a" + String(repeating: "\u{301}", count: 4), "a”\u{308}", "a \u{301}b", "5\u{20E3}", "a\u{2028}b",
  "a\u{3000}b", "a\u{200B}b", "a\u{115F}b",
  "a\u{3164}b", "a\u{FE0F}", "a\u{E0041}b", "a\u{AD}b", "\u{9B}0m", "a\u{E000}b", "a\u{378}b",
  // Emoji: a heart with a variation selector, a family with joiners, and a digit in a box.
  "\u{2764}\u{FE0F}", "\u{1F468}\u{200D}\u{1F467}", "1\u{FE0F}\u{20E3}",
])
func `a purpose has no invisible characters and no line breaks`(text: String) {
  #expect(refusal("REQ once purpose=\(text)")?.error.code == .badArgument)
}

@Test func `a tag comes back with the command, and with its refusal`() throws {
  #expect(try command("@a-1 PING") == TaggedCommand(.ping, tag: "@a-1"))
  #expect(refusal("@a-1 FLY")?.tag == "@a-1")
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
    ("@a/b PING", nil), ("@\(String(repeating: "a", count: 33)) PING", nil),
  ]
  for (line, tag) in lines { #expect(TaggedCommand.tag(of: line.utf8Span.span) == tag, "\(line)") }
}

@Test func `the error about an unknown verb contains only its beginning`() throws {
  let error = try #require(refusal("e" + String(repeating: "\u{301}", count: 1000))).error
  #expect(error.code == .unknownVerb && error.text.utf8.count < 120)
}
