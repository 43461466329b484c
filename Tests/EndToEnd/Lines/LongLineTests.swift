import Foundation
import Testing

/// Replies that can be longer than the line limit of a client.
@Suite struct LongLineTests {
  @Test func `regions with the longest texts are listed at a serial port in lines that fit`() async throws {
    let bench = try PortBench()
    try await Daemon.with(configuration: "regions = true\n" + bench.configuration()) { daemon in
      let owner = try await Peer.owner(daemon)
      #expect(try await owner.reply(to: "SET peer status always") == "+OK")
      let local = try await Peer.connected(daemon)
      // 80 columns, each with three combining marks.
      let long = String(repeating: "o\u{0323}\u{0302}\u{0301}", count: 80)
      for number in 1...20 {
        let id = "r\(number)-" + String(repeating: "i", count: 28)
        let text = number == 1 ? "short" : long
        let reply = try await local.reply(
          to:
            "REGION ADD \(id) -47.1234567891 -171.1234567891 99999.12345 enter,exit :\(text)")
        #expect(reply == "+OK")
      }
      let peer = bench.peer
      _ = try await peer.next("INFO ")
      peer.useChecksums()
      #expect(try await peer.reply(to: "HELLO 1 crc").hasPrefix("+OK "))
      #expect(try await peer.reply(to: "REGION LIST") == "+OK count=20")
      let lines = peer.received.value.lines.filter { $0.hasPrefix("MSG regions ") }
      #expect(lines.count == 20)
      for line in lines {
        #expect(line.utf8.count <= 512)
        let json = try #require(CRC16.verified(line)).drop { $0 != "{" }
        let region = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(region?["lat"] as? Double == -47.1234567891)
        let text = try #require(region?["text"] as? String)
        #expect(text == "short" || text.hasSuffix("…") && long.hasPrefix(text.dropLast()), "\(text)")
      }
      // Other transports have no such limit.
      #expect(try await local.reply(to: "REGION LIST") == "+OK count=20")
      #expect(local.received("MSG regions ").count { $0.contains(long) } == 19)
      // An error message is shortened to fit too.
      peer.send("SUB " + String(repeating: "o\u{0323}\u{0302}\u{0301}", count: 60) + " s")
      let refusal = try await peer.next("-ERR 404 bad-topic ")
      #expect(refusal.utf8.count + 5 <= 512)
    }
  }
}
