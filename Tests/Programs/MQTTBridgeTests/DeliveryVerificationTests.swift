import Base
import LineProtocol
import Testing

@testable import Features

@Suite struct DeliveryVerificationTests {
  private static let announcement = Announcement("a/config", "{}", isRetained: true, isVerified: true)

  private func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

  private func noted(_ version: MQTTVersion) -> DeliveryVerification {
    var verification = DeliveryVerification(version: version)
    verification.note(Self.announcement, message: 7, at: at(0))
    return verification
  }

  @Test func `a broker with MQTT 5 refuses a message with its acknowledgement`() {
    for (acknowledgement, undelivered) in [
      (MosquittoClient.Acknowledgement.refused(cause: "not authorized"), ["a/config"]), (.accepted, []),
      // Home Assistant may not have started yet: the announcement is retained.
      (.noSubscriber, []),
    ] {
      var verification = noted(.five)
      let isOther = verification.acknowledge(8, acknowledgement)
      let isIts = verification.acknowledge(7, acknowledgement)
      #expect(!isOther && isIts)
      verification.abandon(at: at(60))
      #expect(verification.undelivered.sorted() == undelivered)
    }
  }

  @Test func `a broker with MQTT 3.1.1 must send an announcement back in time`() {
    var verification = noted(.three)
    _ = verification.acknowledge(7, .accepted)
    verification.abandon(at: at(4))
    #expect(verification.undelivered.isEmpty)
    verification.receive("a/config", Array("an older one".utf8))
    verification.receive("b/config", Array("{}".utf8))
    verification.abandon(at: at(5))
    #expect(verification.undelivered == ["a/config"])
  }

  @Test(arguments: [Array("{}".utf8), nil])
  func `an announcement that comes back is delivered, also if it is longer than a request`(payload: [UInt8]?) {
    var verification = noted(.three)
    verification.receive("a/config", payload)
    verification.abandon(at: at(60))
    #expect(verification.undelivered.isEmpty)
  }

  @Test func `an announcement that is delivered later is no longer undelivered`() {
    var verification = noted(.five)
    _ = verification.acknowledge(7, .refused(cause: "not authorized"))
    verification.note(Self.announcement, message: 9, at: at(10))
    #expect(verification.undelivered == ["a/config"])
    _ = verification.acknowledge(9, .accepted)
    #expect(verification.undelivered.isEmpty)
  }

  @Test func `the gateway subscribes once to the announcements that a broker with MQTT 3.1.1 sends back`() {
    #expect(DeliveryVerification(version: .three).needsSubscription(to: "a/config"))
    #expect(!noted(.three).needsSubscription(to: "a/config"))
    #expect(!DeliveryVerification(version: .five).needsSubscription(to: "a/config"))
  }
}

@Suite struct SubscriberPresenceTests {
  private func isGiven(_ wanted: String?, _ topic: String, _ payload: String?, isRetained: Bool = false) -> Bool {
    SubscriberPresence(topic: "a/status", payload: wanted, timeout: .zero)
      .isGiven(by: topic, payload.map { Array($0.utf8) }, isRetained: isRetained)
  }

  @Test func `only Home Assistant's birth message on its topic is a sign of the subscriber`() {
    #expect(isGiven("online", "a/status", "online"))
    #expect(
      !isGiven("online", "a/status", "offline") && !isGiven("online", "a/status", "")
        && !isGiven("online", "b", "online"))
  }

  @Test func `on a configured topic every message is a sign, except empty, offline and retained messages`() {
    #expect(isGiven(nil, "a/status", "here") && isGiven(nil, "a/status", "online"))
    #expect(!isGiven(nil, "a/status", "") && !isGiven(nil, "a/status", "offline") && !isGiven(nil, "a/status", nil))
    #expect(!isGiven(nil, "a/status", "online", isRetained: true), "it may be older than the connection")
  }
}
