import SeededNumbers
import Testing

@testable import LineProtocol

extension GPSDRequest {
  /// The commands in the bytes of one connection.
  static func all(in bytes: some Sequence<UInt8>) -> [GPSDRequest] {
    var parser = GPSDRequestParser(longest: 4096)
    return bytes.compactMap { byte in
      if case .request(let request)? = parser.consume(byte) { request } else { nil }
    }
  }
}

@Suite struct GPSDRequestTests {
  private func elements(_ text: String, longest: Int = 4096) -> [GPSDRequestParser.Element] {
    var parser = GPSDRequestParser(longest: longest)
    return text.utf8.compactMap { parser.consume($0) }
  }

  private func requests(_ line: String) -> [GPSDRequest] { GPSDRequest.all(in: "\(line)\n".utf8) }

  @Test(
    arguments: [
      ("?VERSION;", [.version]),
      ("?DEVICES;", [.devices]),
      ("?POLL;", [.poll]),
      ("?POLL", [.poll]),
      ("?WATCH;", [.watch(nil)]),
      ("?WATCH={\"enable\":true,\"json\":true};\r", [.watch(WatchSettings(json: true))]),
      ("?WATCH={\"enable\":true,\"json\":true}", [.watch(WatchSettings(json: true))]),
      ("?WATCH={\"raw\":2,\"pps\":true}", [.watch(WatchSettings(raw: true))]),
      ("?WATCH={\"raw\":0}", [.watch(WatchSettings(raw: false))]),
      ("?WATCH={\"enable\":false}", [.watch(WatchSettings(isEnabled: false))]),
      ("?WATCH={\"enable\":0,\"json\":1}", [.watch(WatchSettings(isEnabled: false, json: false))]),
      ("?WATCH={\"enable\":null,\"nmea\":0}", [.watch(WatchSettings(isEnabled: false, nmea: false))]),
      ("?WATCH={}", [.watch(WatchSettings())]),
      ("?WATCH={\"device\":\"a};\\\"b\",\"nmea\":true};?POLL;", [.watch(WatchSettings(nmea: true)), .poll]),
      ("?DEVICE={\"path\":\"/dev/ttyS0\",\"bps\":4800}", [.device]),
      ("?WATCH={\"enable\":true}; POLL ;DEVICES", [.watch(WatchSettings()), .poll, .devices]),
      ("?WATCH={\"enable\":true}?POLL;", [.watch(WatchSettings()), .poll]),
      ("?WATCH={\n?POLL;", [.invalid("WATCH"), .poll]), ("?WATCH=7;?POLL;", [.invalid("WATCH"), .poll]),
      ("?", []), ("?;;;", []),
    ] as [(String, [GPSDRequest])])
  func `a line has the commands that gpsd reads in it`(line: String, expected: [GPSDRequest]) {
    #expect(requests(line) == expected)
  }

  @Test(arguments: [
    "?watch={}", "?NOTHING;", "?NOTHING=7", "?=;", "?POLL!;",
  ])
  func `a command that gpsd does not know is reported as unknown`(line: String) {
    let found = requests(line)
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { if case .unknown = $0 { true } else { false } }, "\(found)")
  }

  @Test(arguments: ["", "7;", "[1]", "{", "{\"enable\":}", "{enable:true}", "true;"])
  func `a known command whose argument is no object is reported as invalid`(argument: String) {
    #expect(requests("?WATCH=\(argument)") == [.invalid("WATCH")])
  }

  private static let watch = GPSDRequest.watch(WatchSettings(json: true))
  private static let end = GPSDRequest.watch(WatchSettings(isEnabled: false, json: false))

  /// The bytes of real clients, in the order in which they send them.
  static let clients: [(name: String, bytes: String, asks: [GPSDRequest])] = [
    ("gps3 and Home Assistant", #"?WATCH={"enable":true,"json":true}"#, [watch]),
    ("gps3, which ends", #"?WATCH={"enable":true,"json":true}?WATCH={"enable":false,"json":false}"#, [watch, end]),
    ("gps3 with a device", #"?WATCH={"enable":true,"json":true,"device":"/dev/ttyUSB0"}"#, [watch]),
    ("a gpsd chained to this one", #"?WATCH={"enable":true,"json":true};"#, [watch]),
    ("OpenCPN", #"?WATCH={"class":"WATCH", "nmea":true}"#, [.watch(WatchSettings(nmea: true))]),
    (
      "Signal K", #"?WATCH={"class":"WATCH","nmea":true,"json":false}"#,
      [.watch(WatchSettings(json: false, nmea: true))]
    ),
    (
      "Signal K, which ends", "?WATCH={\"class\": \"WATCH\", \"json\":true, \"enable\":false}\n",
      [.watch(WatchSettings(isEnabled: false, json: true))]
    ),
    ("gpspipe", "?WATCH={\"enable\":true,\"json\":true};\r\n", [watch]),
    ("gpsd-py3", "?WATCH={\"enable\":true}\n?POLL;\n?POLL;\n", [.watch(WatchSettings()), .poll, .poll]),
    ("gpsdclient", "?WATCH={\"enable\":true,\"json\":true}\n", [watch]),
  ]

  @Test(arguments: clients.indices)
  func `a real client is understood with the last byte of each command`(client: Int) {
    let (name, bytes, asks) = Self.clients[client]
    #expect(GPSDRequest.all(in: bytes.utf8) == asks, "\(name)")
    let last = bytes.utf8.lastIndex { [UInt8(ascii: "}"), UInt8(ascii: ";")].contains($0) }
    let early = last.map { GPSDRequest.all(in: bytes.utf8[..<$0]) }
    #expect(early?.count == asks.count - 1 || bytes.contains("};"), "\(name)")
  }

  @Test func `a command of any length is named in part, and one that is too long is discarded up to a newline`() {
    #expect(requests("?" + String(repeating: "A", count: 4000)) == [.unknown(String(repeating: "A", count: 32))])
    #expect(elements("?POLLING;POLL;\n?POLL;", longest: 6) == [.overlong, .request(.poll)])
    #expect(elements("?WATCH={\"device\":\"\"};?POLL;\n;POLL\n", longest: 12) == [.overlong, .request(.poll)])
    #expect(elements("?WATCH={\"a\":1};?POLL;", longest: 12) == [.request(.watch(WatchSettings())), .request(.poll)])
  }

  @Test(arguments: ["GET / HTTP/1.1\n?POLL;", "\n?POLL;", "{}", "WATCH={};", "\0?POLL;"])
  func `a connection that does not begin as a client of gpsd does asks for nothing`(text: String) {
    #expect(elements(text) == [.foreign])
  }

  @Test func `after any bytes a newline begins a new command`() {
    var generator = SplitMix64(seed: 8)
    let words = [
      "?", "WATCH", "POLL", "=", "{", "}", "\"", "\\", ";", "\"enable\"", ":", "true", ",", " ", "[", "\u{0}",
    ]
    for _ in 0..<4000 {
      var bytes = Array("?".utf8)
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        if Bool.random(using: &generator) {
          bytes += Array(words.randomElement(using: &generator)!.utf8)
        } else {
          bytes.append(UInt8.random(in: 0...255, using: &generator))
        }
      }
      #expect(GPSDRequest.all(in: bytes + Array("\n?POLL;".utf8)).last == .poll)
    }
  }
}
