import Base
import Cloaking
import Decoding
import GNSS
import Hardware
import LineProtocol
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

  /// - Parameter step: The way of the device to the north in each second, in ten-thousandths of a minute.
  @Test(arguments: [81, 0], [true, false])
  func `without a speed of the receiver, its positions show whether an approximate answer must be coarse`(
    step: Int, isByPress: Bool
  ) throws {
    var gate = try Scene().gate
    gate.cloak = try Scene.cloak(coarsensTravel: true)
    gate.advanceCloak(nil, isLocked: false, isWanted: true, at: start)
    let end = try #require(gate.nextDeadline)
    let receiver = SealedReceiver(isLive: true, requiresChecksum: true, servesUnmeasured: false, keepsAnswers: false)
    receiver.open()
    for second in 0..<30 {
      let (minutes, decimals) = (226_133 + second * step).quotientAndRemainder(dividingBy: 10_000)
      let position = "47\(minutes).\(decimals),N,00832.5016,E"
      let sentence = nmeaSentence("GNGGA,0731\(second + 10).00,\(position),1,11,0.8,408.2,M,47.3,M,,")
      let arrived = end - .seconds(30 - second)
      receiver.consume(.bytes(Array(sentence.utf8), at: arrived))
      _ = receiver.pass(to: arrived + .milliseconds(900))
      while receiver.advance(today: nil) {}
    }
    let fix = try #require(receiver.latest)
    #expect(fix.fix.speed == nil)
    let now = start + (end - start.monotonic)
    let radius: Double?
    if isByPress {
      radius = try gate.reduce(fix, at: start)?.report.horizontalAccuracy
    } else {
      gate.advanceCloak(fix, isLocked: false, isWanted: true, at: now)
      radius = try gate.nodeInForce(at: now.utc)?.report.horizontalAccuracy
    }
    #expect(radius == (step > 0 ? 10_000 : 2750))
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
