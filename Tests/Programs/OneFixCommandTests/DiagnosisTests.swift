import Hardware
import LineProtocol
import OwnerScreens
import Testing

@testable import onefix

/// The statements about a changed status that are not good, as in `bad The receiver is absent.`.
/// - Parameter changes: The changed fields. A key without a value is removed.
private func complaints(_ changes: String) -> [String] {
  var status: ServerLine.Fields = [
    "receiver": "ready", "fix": "3d", "sats": "11", "fix-age": "fresh", "frames": "1000", "locked": "false",
    "source": "uart:/dev/ttyAMA0:9600",
  ]
  // Another state of the receiver has no fix.
  if changes.hasPrefix("receiver=") { for key in ["fix", "sats", "fix-age"] { status[key] = nil } }
  for change in changes.split(separator: " ") {
    let sides = change.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    status[sides[0]] = sides[1].isEmpty ? nil : sides[1]
  }
  return Diagnosis(status: status).statements.filter { $0.level != .good }
    .map { "\($0.level) \($0.lines.joined(separator: " "))" }
}

/// The changes of a status without faults, and the words of the resulting statement. No words if there is none.
///
/// Up to two errors, or five in a thousand, are a note, because the first sentence is often incomplete. A field that
/// cannot be read is no fault of the line.
private let cases: [(String, [String])] = """
  locked=false →
  locked=true → warning | locked | Hold the button
  receiver=absent → bad | absent
  receiver=starting → bad | is woken after 3 s | run onefix doctor again | TX and RX are crossed | speed
  receiver=starting wake-ups=2 → bad | sent the wake-up sentences of all makes | TX and RX are crossed | standby
  receiver=starting source=i2c:/dev/i2c-1:0x42 → bad | i2cdetect
  receiver=acquiring → bad | no satellite | antenna is connected
  receiver=acquiring sats=0 → bad | no satellite
  receiver=acquiring sats=3 → bad | uses 3 satellites | needs four
  receiver=acquiring sats=4 → bad | uses 4 satellites | repeats, estimates or withholds
  receiver=off → note | switched off
  receiver=off receiver-power-fault=busy → bad | busy | [receiver.power]
  fix-age=old → bad | more than two seconds old
  frames= →
  errors=checksum:1 → note | 1 of 1001 | checksum 1
  frames=10 errors=checksum:2 → note | 2 of 12
  frames=10000 errors=checksum:49 → note
  errors=checksum:20,interrupted:5 → bad | 25 of 1025 | checksum 20, interrupted 5 | another program
  errors=checksum:20 source=i2c:/dev/i2c-1:0x42 → bad | stretches the clock | i2c-gpio | 20 corrupt
  frames=0 errors=aborted:30 → bad | the speed is wrong
  frames=0 errors=aborted:9223372036854775807 → bad | 1000000000000 of 1000000000000 sentences
  errors=field:60,field-count:2 rejected-fields=RMC.2:60,GGA:2 \
  → warning | 62 sentences | RMC field 2: 60, GGA: 2 | The line is good | --stats
  frames=10000 errors=field:20 rejected-fields=RMC.2:20 → note | 20 sentences
  unknown-fields=GGA.13:900,PUBX-00.9:1 → note | GGA field 13: 900, PUBX-00 field 9: 1 | no fix needs
  receiver=starting rejected-fields=GGA.6:4 wake-ups=1 → bad | correct checksums | The line is good
  frames=0 errors=checksum:1,no-checksum:30 → bad | checksum = false
  errors=i2c-phantom-count:1,i2c-timeout:2 → note | 3 times (phantom-count 1, timeout 2)
  errors=i2c-no-answer:5 → warning | no-answer 5 | pull-ups
  frames= errors=i2c-no-answer:90 → warning | no-answer 90
  line=full → bad | 9600 baud carry 960 bytes
  date=corrected → warning | 1024 weeks
  attack=spoofing → bad | false satellite signals | map
  attack=spoofing-suspected → warning | suspects
  attack=jump → warning | jumped
  attack=jamming → bad | prevents a fix
  attack=interference → warning | has a fix
  attack=none →
  receiver-defects=no-speed → warning | no speed | VTG
  receiver-defects=repeated-positions → warning | repeats positions
  receiver-defects=wrong-speed → warning | speed contradicts
  receiver-defects=wrong-course → warning | course contradicts
  settings=unanswered → warning | configure = false
  settings=partly → warning | onefix status lists the rejected settings
  settings=refused → warning | every setting | onefix status lists them
  settings=applied →
  listener-1=gpsd:localhost:2947 listener-1-fault=taken listener-1-since=2026-11-21T07:31:34.000Z \
  → bad | gpsd:localhost:2947 | 2026-11-21 | another program has its address | onefixd check
  listener-1=tls:0.0.0.0:7448 listener-1-fault=certificate → bad | certificate | names the file
  listener-1=tcp:[::1]:1 listener-1-fault=no-address → bad | does not have its address
  listener-1=tcp:127.0.0.1:1 listener-1-fault=denied → bad | no permission
  listener-1=tcp:127.0.0.1:1 listener-1-fault=failed → bad | it failed | log of onefixd
  apps-off=ferry → bad | App ferry is off | systemctl reload onefix
  log=good →
  log=unchecked → note | not checked yet
  log=broken log-fault=changed log-entry=3 → bad | was changed (changed, entry #3) | onefix log --verify
  log=broken log-fault=anchor-missing → bad | The anchor of the log of disclosures is missing | --renew-anchor
  log=broken log-fault=not-as-anchored log-entry=1 \
  → bad | does not fit its anchor (not-as-anchored, entry #1) | --renew-anchor
  log=failing log-fault=unreadable → bad | cannot be read | permissions
  log=failing log-fault=untended → bad | cannot be maintained | Free space
  store-fault=write → warning | latest write to the state failed | Free space
  store-fault=write,unsaved:2 → bad | not on the disk (2) | discloses nothing | Free space
  store-fault=unsaved:1 → bad | not on the disk (1)
  indicator-fault=indicator-dark → bad | indicator-dark | sense input
  time=sent time-last=2026-11-21T07:31:34.000Z →
  time=failed time-fault=connection-refused → bad | chrony | connection-refused | systemctl status
  time=waiting → note | chrony | first valid fix
  button-fault=main:stuck → bad | main | active_low
  button-fault=main:absent → bad | main | gpiodetect
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-1-version=5 →
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-1-version=3.1.1 \
  → warning | MQTT 3.1.1 | acknowledges a fix that its access control drops | MQTT 5
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-2=mqtts://b:2 mqtt-2-state=disconnected mqtt-2-app=ferry \
  mqtt-2-since=2026-11-21T07:31:34.000Z mqtt-2-waiting=3 → bad | mqtts://b:2 | ferry | 2026-11-21 | 3 fixes wait
  mqtt-1=mqtt://a:1 mqtt-1-state=disconnected mqtt-1-waiting=1 → bad | 1 fix waits for it
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-1-waiting=1 → note | is connected | 1 fix waits for it
  output-1=https://a:1 output-1-state=disconnected output-1-app=ferry output-1-waiting=64 output-1-full=true \
  → bad | 64 fixes wait for it (for ferry), the most that may wait: a press adds none until it has got one
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-1-app=ferry mqtt-1-waiting=64 mqtt-1-full=true \
  → bad | 64 fixes wait for it (for ferry), the most that may wait: a press adds none until it has got one
  absent-output-1=file:///srv/points.gpx absent-output-1-waiting=2 \
  → warning | 2 fixes wait for file:///srv/points.gpx | restore the entry
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-1-app=ferry mqtt-1-undelivered=homeassistant/device/boat_ferry/config \
  → bad | mqtt://a:1 | ferry | messages of 8 KB | topic readwrite homeassistant/device/boat_ferry/config
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-1-app=ferry mqtt-1-undelivered=owntracks/boat/ferry \
  → bad | mqtt://a:1 | does not permit a topic of ferry | topic readwrite owntracks/boat/ferry
  mqtt-1=mqtt://a:1 mqtt-1-state=connected mqtt-1-app=ferry mqtt-1-subscriber=awaited mqtt-1-waiting=2 \
  → note | 2 fixes wait | ferry | subscriber_topic
  mqtt-1=mqtt://a:1 mqtt-1-state=disconnected mqtt-1-fault=connection-lost \
  → bad | another gateway or client may have the same 'client_id'
  """.split(separator: "\n").map { row -> (String, [String]) in
    let sides = row.split(separator: " →", omittingEmptySubsequences: false)
    return (String(sides[0]), sides[1].dropFirst().split(separator: " | ").map(String.init))
  }

@Test func `a receiver of which no sentence was read has no good stream`() {
  func text(_ frames: String) -> [String] { Diagnosis(status: ["frames": frames]).statements.map(\.text) }
  #expect(text("1").contains("None of 1 sentences and frames was corrupt."))
  #expect(!text("0").contains { $0.hasPrefix("None of ") })
}

@Test(arguments: [0, -1, Int.max, Int.min], [0, -1, Int.max, Int.min])
func `any number of errors and frames gives a statement`(errors: Int, frames: Int) {
  let words = complaints(
    "frames=\(frames) errors=checksum:\(errors),interrupted:\(errors),i2c-timeout:\(errors),i2c-stuck:\(errors)")
  #expect(words.count == (errors > 0 ? 2 : 0), "\(words)")
}

@Test(arguments: cases)
func `a gateway's status becomes advice`(changes: String, words: [String]) {
  let found = complaints(changes)
  #expect(found.count == (words.isEmpty ? 0 : 1), "\(found)")
  for word in words { #expect(found.first?.contains(word) == true, "\(found)") }
}

/// Returns the text about an output, whose key in the status is `mqtt-1` or `output-1`.
private func text(_ key: String, _ address: String, _ more: [String: String]) -> String? {
  var status: ServerLine.Fields = [key: address, key + "-app": "ferry"]
  for (word, value) in more { status["\(key)-\(word)"] = value }
  return Diagnosis(status: status).statements.map(\.text).first { $0.contains(address) }
}

@Test func `a broker is connected or disconnected, and any other output is ready or not usable`() {
  let away = ["state": "disconnected", "fault": "no-folder", "since": "2026-11-21T07:31:34.000Z"]
  #expect(text("mqtt-1", "mqtt://a:1", ["state": "connected"]) == "The broker mqtt://a:1 is connected (for ferry).")
  #expect(text("mqtt-1", "mqtt://a:1", away)?.hasPrefix("The broker mqtt://a:1 is disconnected since 2026-11-") == true)
  for address in ["file:///srv/p.gpx", "https://example.org", "serial:/dev/ttyS1"] {
    #expect(text("output-1", address, ["state": "connected"]) == "The output \(address) is ready (for ferry).")
    #expect(
      text("output-1", address, away)
        == "The output \(address) is not usable since 2026-11-21T07:31:34.000Z: its folder does not exist. "
        + "0 fixes wait for it (for ferry).")
  }
}

@Test func `every fault of a broker, and every restriction of legibility, has its advice`() {
  for fault in OutputFault.allCases {
    let found = complaints("mqtt-1=mqtts://a:1 mqtt-1-state=disconnected mqtt-1-fault=\(fault.rawValue)")
    #expect(found.count == 1 && found[0].contains(fault.cause) && found[0].contains(fault.remedy), "\(found)")
    #expect(found.allSatisfy { !$0.contains("?.") && !$0.contains("..") }, "\(found)")
  }
  for restriction in LegibilityProblem.allCases {
    let found = complaints("indicator-fault=\(restriction.rawValue)")
    #expect(found.count == 1 && found[0].contains(restriction.remedy), "\(found)")
  }
  #expect(complaints("button-fault=left:stuck,right:absent").count == 2)
}

@Test func `the findings of the daemon's start are listed once`() {
  let diagnosis = Diagnosis(status: ["warnings": "receiver-shared,label-too-small,indicator-persists"])
  #expect(diagnosis.warnings(besides: []).map(\.level) == [.warning, .bad, .warning])
  #expect(diagnosis.warnings(besides: ["receiver-shared", "label-too-small"]).count == 1)
  #expect(Diagnosis(status: [:]).warnings(besides: []) == [])
}

@Test(arguments: [
  ("rights-changed", Statement.Level.bad, "Rights of apps were changed|onefix log --verify|allow the apps again"),
  ("state-older", .bad, "older than its anchor|moved a damaged one away|--renew-anchor"),
  ("state-volatile", .warning, "You allowed it (allow_volatile_state)|A READ-ONLY ROOT"),
  ("clock-unset", .warning, "The clock of this machine is not set|timedatectl"),
  ("clock-differs", .warning, "the time of the receiver differ|timedatectl"),
  ("log-busy:ferry", .warning, "ferry has used most of its entries|onefix log --app ferry|START updates"),
  ("receiver-shared", .warning, "You allowed it"), ("time-reduced", .warning, "every user can see in chrony"),
])
func `a warning of the gateway has its own sentence and remedy`(code: String, level: Statement.Level, words: String) {
  let statements = Diagnosis(status: ["warnings": code]).warnings(besides: [])
  #expect(statements.map(\.level) == [level])
  let text = statements.flatMap(\.lines).joined(separator: " ")
  for word in words.split(separator: "|") { #expect(text.contains(word), "\(text)") }
  #expect(!text.contains("onefixd check"))
}

@Test func `a finding of the check becomes a sentence, and only the running gateway knows the files of its state`()
  throws
{
  let json =
    #"{"severity":"error","code":"gpio-absent","file":"board.toml","line":4,"message":"no chip","remedy":"find one"}"#
  let finding = try #require(Doctor.Finding(json: json))
  #expect(finding.statement == Statement(.bad, "No chip (board.toml:4).", advice: "find one"))
  let fault = try #require(Doctor.Finding(json: #"{"severity":"note","file":"a","message":"b"}"#))
  #expect(fault.statement == Statement(.note, "B (a).") && Doctor.Finding(json: "no errors") == nil)
  let codes = ["state-volatile", "state-read-only", "gpio-absent"]
  let lines = codes.map { #"{"severity":"error","code":"\#($0)","file":"a","message":"b"}"# }
  #expect(Doctor.findings(in: lines, isRunning: false).map(\.code) == codes)
  #expect(Doctor.findings(in: lines, isRunning: true).map(\.code) == ["gpio-absent"])
}

@Test func `a program's output and exit status are returned, and a missing program gives no output`() throws {
  let output = try #require(ChildOutput(ofSibling: "sh", ["-c", "echo one; echo two; exit 3"]))
  #expect(output.lines == ["one", "two"] && output.status == 3)
  #expect(ChildOutput(ofSibling: "sh", ["-c", "kill -9 $$"])?.status == 137)
  #expect(ChildOutput(ofSibling: "onefix-is-no-such-program", []) == nil)
}

@Test func `a statement in colour has the same words`() {
  let statement = Statement(.bad, "The light is dark.", advice: "Check it.")
  #expect(statement.lines == ["✗ The light is dark.", "    Check it."])
  #expect(statement.colouredLines == ["\u{1B}[1;31m✗\u{1B}[0m The light is dark.", "    Check it."])
}
