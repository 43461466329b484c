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

  @Test func `the STATUS of an owner fits in a line, however many apps wait`() async throws {
    let daemon = try await Daemon.start()
    let apps = try (0..<90).map { number in
      let app = try RawSocket.connect(daemon.socket)
      let name = "app-\(number)-" + String(repeating: "n", count: 56)
      app.send("HELLO 1 app=\(name.prefix(64)) keepalive=0\nREQ once\n")
      return app
    }
    for app in apps {
      var text = ""
      _ = try await eventually("an arm") {
        text += app.receive()
        return text.contains("state=awaiting-press") ? true : nil
      }
    }
    let owner = try await Peer.owner(daemon)
    let status = try await owner.reply(to: "STATUS")
    #expect(status.utf8.count <= 4096)
    let armed = try #require(status.firstMatch(of: /\ armed=([^ ]+)/)?.1)
    let left = try #require(armed.firstMatch(of: /,\+([0-9]+)$/)?.1)
    #expect(armed.split(separator: ",").count - 1 + (try #require(Int(left))) == 90)
    #expect(status.contains(" log="))
    #expect(!status.contains(" omitted="))
    withExtendedLifetime(apps) {}
    #expect(try await daemon.stop().end == .exit(0))
  }
}
