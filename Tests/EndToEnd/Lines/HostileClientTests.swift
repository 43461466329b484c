import Foundation
import SeededNumbers
import Testing

@Suite struct HostileClientTests {
  /// Returns the resident memory of the daemon, in kilobytes: the current and the largest value.
  private func memory(_ daemon: Daemon) throws -> (now: Int, peak: Int) {
    let text = try String(contentsOfFile: "/proc/\(daemon.process.pid)/status", encoding: .utf8)
    func kilobytes(_ key: String) -> Int? {
      text.split(separator: "\n").first { $0.hasPrefix(key) }?.split(whereSeparator: { !$0.isNumber }).first
        .flatMap { Int($0) }
    }
    return try #require(kilobytes("VmRSS").flatMap { now in kilobytes("VmHWM").map { (now, $0) } })
  }

  private func grewLittle(_ daemon: Daemon, from before: Int) throws -> Bool {
    // A sanitizer keeps freed memory, which does not belong to the daemon.
    if Sanitizer.name != nil { return true }
    return try memory(daemon).peak < before + 32_000
  }

  @Test func `two hundred silent connections do not keep other clients from being served`() async throws {
    try await Daemon.with { daemon in
      let before = try memory(daemon).now
      let silent = try (0..<200).map { _ in try RawSocket.connect(daemon.socket) }
      #expect(try await daemon.fix().accuracy == "full")
      #expect(try grewLittle(daemon, from: before))
      // Each connection has 10 s to authenticate.
      _ = try await eventually("the disconnection of the silent clients") { silent.allSatisfy(\.hasEnded) ? true : nil }
      #expect(try await daemon.status()["receiver"] == "ready")
    }
  }

  @Test func `more connections than file descriptors leave the daemon's reserve free and are closed in the end`()
    async throws
  {
    let files = 48
    let daemon = try await Daemon.start(limit: "-n \(files)")
    try await daemon.authorize()
    func open() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.process.pid)/fd").count
    }
    let idle = try open()
    var most = idle
    // The connections open and close faster than the daemon can accept them.
    for _ in 0..<50 {
      let hasty = try (0..<100).map { _ in try RawSocket.connect(daemon.socket) }
      most = max(most, try open())
      withExtendedLifetime(hasty) {}
    }
    var crowd = try (0..<100).map { _ in try RawSocket.connect(daemon.socket) }
    _ = try await eventually("the maximum number of connections") { try open() >= idle + 8 ? true : nil }
    _ = try await eventually("the disconnection of the accepted clients") {
      most = max(most, try open())
      return crowd[0].hasEnded ? true : nil
    }
    crowd = []
    // The runtime ends the process if it cannot open a file.
    #expect(most <= files - 8)
    _ = try await eventually("another served request") {
      try await daemon.onefix("status").end == .exit(0) ? true : nil
    }
    #expect(try await daemon.fix().accuracy == "full")
    #expect(try await daemon.stop().end == .exit(0))
  }

  @Test func `a client that never reads is disconnected and counted, and does not delay other clients`() async throws {
    try await Daemon.with(receiver: "simulated:rate=25") { daemon in
      _ = try await Peer.owner(daemon, "SET other status always")
      let before = try memory(daemon).now
      let deaf = try RawSocket.connect(daemon.socket)
      deaf.send("HELLO 1 app=other keepalive=0\nSUB # all\nSTART updates interval=0\n")
      let lines = (0..<500).flatMap { _ in Array("nonsense\n".utf8) }
      async let served = daemon.fix().accuracy
      _ = try await eventually("the disconnection") { deaf.send(lines) == nil ? true : nil }
      #expect(try await served == "full")
      let counts = try await daemon.onefix("metrics").output
      #expect(counts.contains("onefix_slow_consumers_total 1"))
      let dropped = counts.first { $0.hasPrefix("onefix_dropped_updates_total ") }?.split(separator: " ").last
      #expect(dropped.flatMap { Int($0) } ?? 0 > 0, "\(counts)")
      #expect(try grewLittle(daemon, from: before))
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random lines are answered, and the daemon keeps running`(seed: UInt64) async throws {
    try await Daemon.with { daemon in
      var random = SplitMix64(seed: seed)
      let before = try memory(daemon).now
      for socket in [daemon.socket, daemon.ownerSocket] {
        for _ in 0..<10 {
          let noise = try RawSocket.connect(socket)
          noise.send("HELLO 1 app=other\n")
          for _ in 0..<50 { noise.send(line(&random)) }
          // A client that sent too much at once must wait before the gateway reads its next line.
          _ = try await eventually("its end") { noise.send("BYE\n") == nil || noise.hasEnded ? true : nil }
        }
      }
      // The noise can contain LOCK.
      if try await daemon.status()["locked"] == "true" { try await daemon.hold() }
      #expect(try await daemon.fix().accuracy == "full")
      #expect(try grewLittle(daemon, from: before))
    }
  }

  /// Returns random bytes, or words of the protocol in wrong positions.
  private func line(_ random: inout SplitMix64) -> [UInt8] {
    if Bool.random(using: &random) {
      return (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) } + [
        0x0A
      ]
    }
    let words = [
      "REQ", "once", "SUB", "UNSUB", "#", "+/#", "fix/once", "ACK", "1", "-1", "99999999999999999999", "CANCEL",
      "STATUS", "PING", "@tag", "@", "timeout=3600", "timeout=-1", "max-age=0", "purpose=", "accuracy=reduced",
      "HELLO", "keepalive=86400", "session=0", "LOG", "since=9999-12-31T23:59:60Z", "since=0000-00-00T00:00:00Z",
      "limit=1000000", "APPS", "ANSWER", "yes", "LOCK", "HELP", "\u{1F600}", "é", "=", ":", "button=none", "PRESS",
    ]
    let count = Int.random(in: 1...6, using: &random)
    let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
    return Array("\(text)\n".utf8)
  }
}
