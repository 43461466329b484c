import Base
import Decoding
import GNSS
import Hardware
import Sentences
import Testing

@testable import Disclosure

extension SealedReceiver {
  /// Processes bytes, and passes the pause after them.
  fileprivate func take(_ text: String) {
    consume(.bytes(Array(text.utf8), at: start.monotonic))
    _ = pass(to: start.monotonic + .milliseconds(900))
    while advance(today: nil) {}
  }
}

/// The receiver, whose positions only the gate can read.
@Suite struct SealedReceiverTests {
  @Test func `an epoch that another program decoded gives a fix`() {
    let receiver = SealedReceiver(
      isLive: false, requiresChecksum: true, servesUnmeasured: false, keepsAnswers: false)
    receiver.open()
    var epoch = Epoch(began: start.monotonic, ended: start.monotonic)
    (epoch.date, epoch.timeOfDay) = (start.utc.date, start.utc.timeOfDay)
    (epoch.coordinate, epoch.quality) = (.here, .autonomous)
    let mustAdvance = receiver.consume(.epoch(epoch))
    #expect(mustAdvance && receiver.latest == nil)
    let isAdvanced = receiver.advance(today: nil)
    #expect(isAdvanced && receiver.latest?.arrived == start.monotonic)
  }

  @Test(arguments: [true, false], [true, false])
  func `each setting of the receiver has its own effect, whatever the others are`(isLive: Bool, requiresChecksum: Bool)
  {
    for (servesUnmeasured, keepsAnswers) in [(true, true), (true, false), (false, true), (false, false)] {
      func receiver(of text: String) -> SealedReceiver {
        let receiver = SealedReceiver(
          isLive: isLive, requiresChecksum: requiresChecksum, servesUnmeasured: servesUnmeasured,
          keepsAnswers: keepsAnswers)
        receiver.open()
        receiver.take(text)
        return receiver
      }
      let old = nmeaSentence("GNRMC,060410.00,A,3509.9236,N,13652.8865,E,0.087,73.28,110723,,,A,V")
      #expect(receiver(of: old).condition.isDateCorrected == isLive)
      let position = "GNGGA,073101.00,4722.6133,N,00832.5016,E"
      let unchecked = receiver(of: "$\(position),1,11,0.8,408.2,M,47.3,M,,\r\n")
      #expect((unchecked.latest == nil) == requiresChecksum)
      let estimated = receiver(of: nmeaSentence("\(position),6,11,0.8,408.2,M,47.3,M,,"))
      #expect((estimated.latest != nil) == servesUnmeasured)
      #expect(receiver(of: nmeaSentence("PAIR001,050,0")).drainReplies().isEmpty == !keepsAnswers)
    }
  }
}
