import Foundation
import Glibc
import Synchronization
import Testing

/// An app that repeats its lines until they pass through a bad cable.
private final class Persistent: Sendable {
  let peer: PortPeer
  private let lastTag = Mutex(0)
  private let token = Mutex<String?>(nil)
  /// The number of HELLO exchanges.
  let beginnings = Atomic(0)

  init(_ peer: PortPeer) { self.peer = peer }

  private func nextTag() -> String {
    lastTag.withLock { tag in
      tag += 1
      return "@t\(tag)"
    }
  }

  /// Waits for a reply, which can be lost.
  private func reply(_ matches: (String) -> Bool) async throws -> String? {
    do { return try await peer.next(within: .seconds(2), matches) } catch is TimedOut { return nil }
  }

  /// Sends HELLO until the gateway has accepted it and the reply has arrived.
  func begin() async throws {
    beginnings.add(1, ordering: .relaxed)
    for _ in 0..<50 {
      // The first newline ends any incomplete line. HELLO needs no checksum.
      peer.send(Array("\nHELLO\n".utf8))
      guard try await reply({ $0.hasPrefix("INFO ") }) != nil else { continue }
      let tag = nextTag()
      let resume = token.withLock { $0 }.map { " session=\($0)" } ?? ""
      peer.send("\(tag) HELLO 1 app=peer keepalive=0\(resume) crc")
      guard let welcome = try await reply({ $0.hasPrefix("+OK \(tag) ") }) else { continue }
      let token = try #require(welcome.firstMatch(of: /session=([0-9a-f]{32})/)?.1)
      self.token.withLock { $0 = String(token) }
      return
    }
    throw TimedOut(what: "a HELLO to get through", limit: .seconds(200), seen: "\(peer.received.value)")
  }

  /// Sends a command until its reply arrives.
  /// - Parameter done: The error code if the gateway had already executed the command and its reply was lost.
  func reply(to command: String, done: String? = nil) async throws -> String {
    for attempt in 1...50 {
      if attempt % 5 == 0 { try await begin() }
      let tag = nextTag()
      peer.send("\(tag) \(command)")
      let reply = try await reply { line in
        line.hasPrefix("+OK \(tag)") || line == "PONG \(tag)" || line.hasPrefix("-ERR") || line.hasPrefix("INFO ")
      }
      guard let reply else { continue }
      // A damaged line is refused. No other error is possible.
      if let done, reply.hasPrefix("-ERR \(done) \(tag) ") { return "+OK @" }
      if reply.hasPrefix("-ERR") {
        #expect(reply.hasPrefix("-ERR 401 bad-crc ") || reply.hasPrefix("-ERR 402 line-too-long "), "\(reply)")
      } else if reply.hasPrefix("INFO ") {
        try await begin()
      } else {
        return reply.replacing("\(tag)", with: "@")
      }
    }
    throw TimedOut(what: "\(command) to get through", limit: .seconds(100), seen: "\(peer.received.value)")
  }
}

/// Two serial ports with a slow cable between them that loses and changes bytes.
@Suite struct NoisyLineTests {
  @Test(.timeLimit(.minutes(10)))
  func `through a bad cable no damaged line is ever accepted, and the session is resumed each time`() async throws {
    let folder = try Folder()
    let (near, far) = (folder.path("near"), folder.path("far"))
    let socat = try Child("socat", ["pty,rawer,link=\(near)", "pty,rawer,link=\(far)"])
    defer { socat.kill(SIGTERM) }
    let descriptor = try await eventually("socat's ports") { () -> Int32? in
      guard folder.has("near"), folder.has("far") else { return nil }
      let opened = unsafe open(far, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      return opened < 0 ? nil : opened
    }
    let (end, cable) = (PortEnd(descriptor), Cable(seed: 20_261_121))
    let peer = PortPeer { cable.send($0, 0) }
    end.read { cable.send($0, 1) }
    cable.connect { [weak peer] bytes, direction in
      if direction == 0 { end.send(bytes) } else { peer?.receive(bytes) }
    }
    let configuration = "[[serial]]\nport = \"\(near)\"\nbaud = 9600\napp = \"peer\"\n"
    try await Daemon.with(configuration: configuration, authorizing: "peer") { daemon in
      peer.useChecksums()
      cable.damage(oneOf: 4)
      let app = Persistent(peer)
      try await app.begin()
      for number in 1...6 {
        #expect(try await app.reply(to: "PING") == "PONG @")
        let subscribed = try await app.reply(to: "SUB indicator s\(number % 3)")
        #expect(subscribed.hasPrefix("+OK @"))
        #expect(try await app.reply(to: "STATUS").contains(" state=idle"))
      }
      #expect(try await app.reply(to: "REQ once timeout=300", done: "421 already-armed").hasPrefix("+OK @"))
      try await daemon.press(until: ["served", "granted"])
      // A lost fix is sent again with the same content.
      let message = try await peer.next("MSG fix/once - id=1 ")
      let json = try #require(message.firstIndex(of: "{").map { String(message[$0...]) })
      #expect(try Fix(json).accuracy == "full")
      _ = try await app.reply(to: "ACK 1", done: "422 expired")
      #expect(try await app.reply(to: "STATUS").contains(" state=idle"))
      #expect(cable.damaged.load(ordering: .relaxed) > 5)
      #expect(try await daemon.log().count { $0.contains(#""transport":"serial""#) } == 1)
    }
    cable.cut()
    end.hangUp()
  }
}
