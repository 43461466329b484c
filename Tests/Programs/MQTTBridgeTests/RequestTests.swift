import Base
import LineProtocol
import Testing

@testable import Features

@Suite struct RequestTests {
  private static let arrived = UTCTime(iso8601: "2026-11-21T07:31:34Z")!

  private static func read(_ text: String) throws -> BridgeRequest? {
    try BridgeRequest(Array(text.utf8), arrived: arrived)
  }

  @Test(
    arguments: [
      ("", nil, OnceRequest()), ("{}", nil, OnceRequest()), (" {\"id\":\"a.B-1_\"} ", "a.B-1_", OnceRequest()),
      (
        #"{"id":"1","accuracy":"reduced","max_age":500,"timeout":60,"press":"required","purpose":"find \"parks\" nearby"}"#,
        "1",
        OnceRequest(
          accuracy: .reduced, maximumAge: 500, timeout: 60, requiresPress: true, purpose: "find \"parks\" nearby")
      ),
      (#"{"other":[1,{"deep":null}],"timeout":3600}"#, nil, OnceRequest(timeout: 3600)),
      (#"{"purpose":"press=required timeout=1"}"#, nil, OnceRequest(purpose: "press=required timeout=1")),
    ] as [(String, String?, OnceRequest)])
  func `a request has the keys of REQ, or is empty`(text: String, id: String?, options: OnceRequest) throws {
    let request = try Self.read(text)
    #expect(request?.id == id)
    #expect(request?.options == options)
  }

  @Test(
    arguments: [
      ("x", nil, "a request must be a JSON object or empty"), ("[]", nil, "a request must be a JSON object or empty"),
      ("7", nil, "a request must be a JSON object or empty"), (" ", nil, "a request must be a JSON object or empty"),
      (#"{"id":7}"#, nil, "id has the wrong type"),
      (#"{"id":""}"#, nil, "id must have 1 to 64 letters, digits, dots, dashes or underscores"),
      (#"{"id":"a b"}"#, nil, "id must have 1 to 64 letters, digits, dots, dashes or underscores"),
      (#"{"id":"a","timeout":0}"#, "a", "timeout"), (#"{"id":"a","max_age":60001}"#, "a", "max-age"),
      (#"{"id":"a","press":"maybe"}"#, "a", "the value of press must be: required"),
      (#"{"id":"a","press":"required timeout=1"}"#, "a", "press must be one word"),
      (#"{"id":"a","accuracy":"none"}"#, "a", ""),
      (#"{"id":"a","accuracy":""}"#, "a", "accuracy must be one word"),
      (#"{"id":"a","purpose":"tab\there"}"#, "a", ""), (#"{"id":"a","purpose":"two\nlines"}"#, "a", ""),
      (#"{"id":"a","ts":"yesterday"}"#, "a", "ts must be a time in ISO 8601, as in 2026-11-21T"),
      (#"{"id":"a","ts":1e300}"#, "a", "ts must be a time in ISO 8601"),
      (#"{"id":"a","ts":"2026-11-21T07:31:34"}"#, "a", "ts has no offset from UTC (add Z or the offset, as in "),
      (#"{"id":"a","ts":"2026-11-21 08:31:34.123456"}"#, "a", "ts has no offset from UTC"),
      (#"{"id":"a","ts":true}"#, nil, "ts"),
    ] as [(String, String?, String)])
  func `an invalid request gets an error with the cause`(text: String, id: String?, said: String) throws {
    let fault = try #require(throws: BridgeRequest.Fault.self) { _ = try Self.read(text) }
    #expect(fault.id == id)
    #expect(fault.error.text.hasPrefix(said), "\(fault.error.text)")
  }

  @Test(arguments: [
    (#""2026-11-21T07:31:34Z""#, true), (#""2026-11-21T07:30:34Z""#, true), (#""2026-11-21T07:30:33.999Z""#, false),
    (#""2026-11-21T08:00:00Z""#, true), (#""1970-01-01T00:00:00Z""#, false), ("1795246294", true), ("1795246234", true),
    ("1795246233", false), ("-8999999999", false),
    // Home Assistant's now().isoformat(), JavaScript's toISOString(), Python's str(), and RFC 3339 in lower case.
    (#""2026-11-21T08:31:34.123456+01:00""#, true), (#""2026-11-21T08:30:33.123456+01:00""#, false),
    (#""2026-11-21T07:31:34.123Z""#, true), (#""2026-11-21 00:31:34-07:00""#, true), (#""2026-11-21t07:31:34z""#, true),
  ])
  func `a request is valid for sixty seconds after its time`(time: String, counts: Bool) throws {
    #expect(try (Self.read("{\"ts\":\(time)}") != nil) == counts)
  }

  @Test(arguments: [
    (true, 5.0, IgnoredReason.retained), (true, 0.1, .retained), (false, 0.999, .early), (false, 0, .early),
    (false, 1, nil), (false, 3600, nil),
  ])
  func `retained requests, and requests that may have waited for the connection, are ignored`(
    isRetained: Bool, seconds: Double, reason: IgnoredReason?
  ) {
    let properties = MessageProperties(isRetained: isRetained, sinceConnected: .seconds(seconds), arrived: Self.arrived)
    #expect(BridgeRequest.check(properties) == reason)
  }

  /// Every truncation and every changed byte of a request gives a request or an error, and never a crash.
  @Test func `no bytes crash the program`() {
    let text = Array(
      #"{"id":"a-1","ts":"2026-11-21T07:31:34Z","accuracy":"full","timeout":60,"purpose":"é \u00e9"}"#.utf8)
    var (requests, faults) = (0, 0)
    func read(_ bytes: [UInt8]) {
      do {
        if let request = try BridgeRequest(bytes, arrived: Self.arrived) {
          requests += 1
          #expect(request.id.map { $0.utf8.count <= 64 } ?? true)
        }
      } catch {
        faults += 1
        #expect(!error.error.text.isEmpty)
      }
    }
    for length in 0...text.count { read(Array(text[..<length])) }
    for index in text.indices {
      for bit in 0..<8 {
        var changed = text
        changed[index] ^= 1 << UInt8(bit)
        read(changed)
      }
    }
    read(Array(repeating: UInt8(ascii: "["), count: 4096))
    read(Array(repeating: 0xFF, count: 4096))
    #expect(requests > 10 && faults > 100)
  }
}
