import Base
import GNSS
import OperatingSystem
import ScriptedGateways
import Testing

@testable import OneFixClient

// MARK: Readers

@Test func `a reader that is too slow keeps the newest 64 events`() async throws {
  let source = Broadcaster<Int>(.events("region/+", sid: "regions"))
  let reader = source.newReader()
  for number in 0..<100 { source.send(number) }
  source.finish(nil)
  let kept = try await reader.elements.reduce(into: []) { $0.append($1) }
  #expect(kept == Array(36..<100))
}

// MARK: Requests

@Test func `a repeated command whose effect is already there is done`() throws {
  let commands: [(Command, ErrorCode?)] = [
    (.acknowledge(1), .expired), (.unsubscribe(sid: "s", after: nil), .badArgument),
    (.region(.remove(id: "zoo")), .badArgument), (.unsubscribe(sid: "s", after: 1), nil), (.region(.list), nil),
    (.cancel, nil), (.requestOnce(OnceRequest()), nil),
  ]
  for (command, done) in commands {
    for code in [ErrorCode.expired, .badArgument, .denied] {
      #expect(command.isDone(accordingTo: code) == (code == done), "\(command), \(code)")
    }
  }
}

@Test(arguments: [(nil, 300), (60, 60), (0, 1), (-5, 1)])
func `a request has a deadline, and is repeated with the remaining time`(timeout: Int?, seconds: Int) throws {
  let armed = Recorder<Int>()
  let start = SystemClock.monotonic
  let asking = OnceInProgress(OnceRequest(timeout: timeout), armed: { armed.record(1) }, pressed: { _ in })
  let end = SystemClock.monotonic
  #expect((start + .seconds(seconds)...end + .seconds(seconds)).contains(asking.deadline))
  let now = asking.deadline - .milliseconds(900)
  #expect(asking.request(at: now) == OnceRequest(timeout: timeout))
  for _ in 0..<2 { asking.accept(as: "awaiting-press") }
  #expect(armed.values.count == 1)
  #expect(asking.request(at: now) == OnceRequest(timeout: 1))
  #expect(asking.request(at: asking.deadline) == nil)
}

@Test func `a request that waits for no press does not ask for one`() {
  let armed = Recorder<Int>()
  let asking = OnceInProgress(OnceRequest(), armed: { armed.record(1) }, pressed: { _ in })
  asking.accept(as: "acquiring")
  #expect(asking.isAccepted && armed.values.isEmpty)
}

// MARK: Fixes

@Test func `a fix is read as the gateway writes it`() throws {
  let centre = try #require(Coordinate(latitude: 47.376888, longitude: 8.541694))
  let time = try #require(UTCTime(iso8601: "2026-11-21T07:31:34.200Z"))
  var fix = FixReport(coordinate: centre, horizontalAccuracy: 2.9, accuracy: .full)
  (fix.time, fix.measured, fix.age, fix.mode, fix.satellites) = (time, time, 140, .threeDimensional, 11)
  (fix.altitude, fix.verticalAccuracy, fix.geoidSeparation) = (408.2, 5.1, 47.3)
  (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy) = (0.4, 0.3, 211, 9)
  fix.dilutionOfPrecision = DilutionOfPrecision(horizontal: 0.8, vertical: 1.2, position: 1.4)
  (fix.quality, fix.isCoasted, fix.suspicion) = (.estimated, true, SignalSuspicion.allCases.first)
  for report in [
    fix, FixReport(reduced: centre, horizontalAccuracy: 2500, time: time), FixReport(place: "home", time: time),
  ] {
    #expect(try FixReport(json: report.json) == report)
  }
}

@Test(arguments: [
  "", "[]", "{}", #"{"accuracy":"full","lat":47.0,"lon":8.0}"#,
  #"{"accuracy":"exact","lat":47.0,"lon":8.0,"hacc":3.0}"#,
  #"{"accuracy":"full","lat":91.0,"lon":8.0,"hacc":3.0}"#, #"{"accuracy":"place","time":"2026-11-21T07:31:34.200Z"}"#,
  #"{"accuracy":"place","place":"home"}"#,
])
func `a text that is not a fix is an error`(json: String) {
  #expect(throws: ClientError.unexpected("the fix lacks required fields")) { try FixReport(json: json) }
}

// MARK: Endpoints

@Test(arguments: [
  ("!", true), ("~", true), ("", false), (" ", false), ("a b", false), ("\u{7F}", false), ("\u{1F}", false),
  ("é", false),
])
func `a token is printable ASCII text without spaces`(text: String, isValid: Bool) {
  #expect((OneFixClient.Token(text) != nil) == isValid)
}

@Test func `a key and a token do not show themselves, and a key is 32 bytes`() throws {
  let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  let keys = [try #require(OneFixClient.Key(base64url: text)), try #require(OneFixClient.Key(base64url: text))]
  #expect(Set(keys).count == 1)
  #expect(OneFixClient.Token("swordfish").map { "\($0)" } == "a token")
  let endpoint = OneFixClient.Endpoint.tcp(host: "h", port: 1, key: keys[0])
  for shown in ["\(keys[0])", String(reflecting: keys[0]), "\(endpoint)"] { #expect(!shown.contains("AAEC")) }
  #expect(OneFixClient.Key(base64url: String(text.dropLast(3))) == nil)
}

@Test(arguments: [
  (OneFixClient.Endpoint.unix("/run/a/onefix.sock"), "/run/a/owner.sock"), (.unix("onefix.sock"), "owner.sock"),
  (.serial("/dev/ttyS0"), "/run/onefix/owner.sock"),
])
func `the socket for owners is beside the socket for apps`(endpoint: OneFixClient.Endpoint, path: String) {
  #expect(endpoint.owners == .unix(path))
}

@Test func `certificates that are not PEM text are an error before the connection`() async throws {
  let token = try #require(OneFixClient.Token("swordfish"))
  let endpoint = OneFixClient.Endpoint.tls(host: "localhost", port: 1, .token(token), trust: .pem("no certificate"))
  await #expect {
    _ = try await OneFixClient.connect(endpoint, app: "app")
  } throws: { error in
    if case ClientError.untrusted(let cause) = error { cause.contains("PEM") } else { false }
  }
}
