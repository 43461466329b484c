import SeededNumbers
import Testing

@testable import GPSDProtocol

/// What clients of Debian say, and what nobody says.
@Suite struct GPSDRequestTests {
  private func requests(_ line: String) -> [GPSDRequest] { GPSDRequest.all(in: Array(line.utf8)) }

  @Test(
    arguments: [
      ("?VERSION;", [.version]),
      ("?DEVICES;", [.devices]),
      ("?POLL;", [.poll]),
      ("?WATCH;", [.watch(nil)]),
      ("?WATCH={\"enable\":true,\"json\":true};\r", [.watch(WatchWish(json: true))]),
      ("?WATCH={\"enable\":true,\"json\":true}", [.watch(WatchWish(json: true))]),
      ("?WATCH={\"raw\":2,\"pps\":true}", [.watch(WatchWish(raw: true))]),
      ("?WATCH={\"raw\":0}", [.watch(WatchWish(raw: false))]),
      ("?WATCH={\"enable\":false}", [.watch(WatchWish(isEnabled: false))]),
      ("?WATCH={}", [.watch(WatchWish())]),
      ("?WATCH={\"device\":\"a};b\",\"nmea\":true};?POLL;", [.watch(WatchWish(nmea: true)), .poll]),
      ("?DEVICE={\"path\":\"/dev/ttyS0\",\"bps\":4800}", [.device]),
      ("?WATCH={\"enable\":true}; POLL ;DEVICES", [.watch(WatchWish()), .poll, .devices]),
      ("?", []), ("", []), ("?;;;", []),
    ] as [(String, [GPSDRequest])])
  func `a line has the requests that gpsd would read in it`(line: String, expected: [GPSDRequest]) {
    #expect(requests(line) == expected)
  }

  @Test(arguments: [
    "?watch={}", "?WATCH=", "?WATCH=7;", "?WATCH=[1]", "?WATCH={", "?WATCH={\"enable\":}", "?NOTHING;", "?=;",
  ])
  func `what is none of them is told to be unknown, and asks for nothing`(line: String) {
    let found = requests(line)
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { if case .unknown = $0 { true } else { false } }, "\(found)")
  }

  @Test func `of a line no more than so many requests are read`() {
    #expect(requests("?" + String(repeating: "POLL;", count: 800)).count == GPSDRequest.most)
  }

  @Test func `a name of any length is told in part`() {
    #expect(requests("?" + String(repeating: "A", count: 4000)) == [.unknown(String(repeating: "A", count: 32))])
  }

  @Test func `any bytes are read to their end`() {
    var generator = SplitMix64(seed: 8)
    let words = [
      "?", "WATCH", "POLL", "=", "{", "}", "\"", "\\", ";", "\"enable\"", ":", "true", ",", " ", "[", "\u{0}",
    ]
    for _ in 0..<4000 {
      var line: [UInt8] = []
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        if Bool.random(using: &generator) {
          line += Array(words.randomElement(using: &generator)!.utf8)
        } else {
          line.append(UInt8.random(in: 0...255, using: &generator))
        }
      }
      #expect(GPSDRequest.all(in: line).count <= GPSDRequest.most)
    }
  }

  @Test func `a line that is cut anywhere asks for no more than the whole one does`() {
    let whole = Array("?WATCH={\"enable\":true,\"json\":true};?POLL;?VERSION;".utf8)
    let meant = GPSDRequest.all(in: whole)
    for count in 0..<whole.count {
      let found = GPSDRequest.all(in: whole[..<count]).filter { if case .unknown = $0 { false } else { true } }
      #expect(found.elementsEqual(meant.prefix(found.count)) || found.last == .watch(nil))
    }
  }
}
