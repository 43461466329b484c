import Clocks
import LineProtocol
import Logging
import RecordingClients
import Testing

@testable import MQTTBridge

/// Connects to a hostile broker until the client has ended a connection, or until a number of messages has arrived.
private func meet(
  messages: Int = .max, _ piece: @escaping @Sendable (Int) -> [UInt8]?
) async throws -> (bytes: Int, messages: Int, warnings: [String]) {
  let hostile = try await HostileBroker(piece)
  let warnings = RecordingLog(.warning)
  var settings = BrokerSettings(host: "127.0.0.1", port: hostile.port, clientID: "test")
  settings.version = .three
  let broker = try Broker(
    settings,
    greeting: { Broker.Greeting(offline: Announcement("t/status", "offline")) }, filters: { [("t/request", nil)] },
    logger: warnings.logger)
  try broker.start()
  var count = 0
  loop: for await event in broker.events {
    switch event {
    case .message:
      count += 1
      broker.noteTaken()
      if count == messages { break loop }
    case .disconnected: break loop
    case .connected, .failed, .acknowledged, .discarded, .undelivered, .idle: break
    }
  }
  broker.stop()
  for await _ in broker.events {}
  try await hostile.stop()
  return (hostile.byteCount, count, warnings.all)
}

@Suite struct BrokerTests {
  @Test func `a region event that waits for its broker is withdrawn by the kill switch, and not sent after its light`()
  {
    let (_, events) = AsyncStream.makeStream(of: Broker.Event.self)
    let now = MonotonicInstant(nanoseconds: 0)
    var state = BrokerState(events)
    state.connect(with: .five, at: now)
    let status = Announcement("t/status", "online", isRetained: true)
    let crossing = Announcement("t/event", "enter", until: now + .seconds(2))
    #expect(state.enqueue(status) && state.enqueue(crossing))
    var late = state
    late.dropEnded(at: now + .seconds(2) - .nanoseconds(1))
    #expect(late.waiting == [status, crossing])
    late.dropEnded(at: now + .seconds(2))
    #expect(late.waiting == [status])
    state.recall()
    #expect(state.waiting == [status])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a packet of 250 MB is not read to its end, and the connection ends`() async throws {
    let length = 250_000_000
    let head = [0x30] + Packet.length(length) + [0, 9] + Array("t/request".utf8)
    let chunk = [UInt8](repeating: 0x20, count: 65_536)
    let met = try await meet { $0 == 0 ? head : $0 < length / chunk.count ? chunk : nil }
    #expect(met.messages == 0)
    // The limit includes the buffers of the kernel, which are not memory of the library.
    #expect(met.bytes < 32_000_000)
    #expect(met.warnings.contains { $0.contains("a packet of more than 1048576 bytes") }, "\(met.warnings)")
  }

  @Test(.timeLimit(.minutes(10)))
  func `messages that are never released end the connection`() async throws {
    let met = try await meet { number in
      number < 20_000
        ? Packet.publish("t/request", Array(repeating: 0x20, count: 60_000), qos: 2, number: UInt16(number + 1)) : nil
    }
    #expect(met.messages == 0)
    #expect(met.bytes < 32_000_000)
    #expect(met.warnings.contains { $0.contains("a message with QoS 2") }, "\(met.warnings)")
  }

  @Test(.timeLimit(.minutes(10)))
  func `any number of messages with a permitted length is received`() async throws {
    // The packets together exceed the maximum length of one packet, so the client must count each packet separately.
    let met = try await meet(messages: 50) { number in
      number < 2000 ? Packet.publish("t/request", Array(repeating: 0x20, count: 4096)) : nil
    }
    #expect(met.messages == 50)
    #expect(met.warnings == [])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a thousand refused subscriptions cause one warning`() async throws {
    let met = try await meet(messages: 1) { number in
      number < 1000 ? Packet.refusal(of: 1) : number == 1000 ? Packet.publish("t/request", []) : nil
    }
    #expect(met.warnings.count { $0.contains("refuses a subscription") } == 1, "\(met.warnings.count)")
  }
}
