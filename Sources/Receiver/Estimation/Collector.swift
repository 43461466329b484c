import GNSS
import NMEA
import ReceiverStream
import UBX

/// A collector of the output of the decoder of receiver data.
struct Collector: NMEAOutput {
  let keepsAnswers: Bool
  var epochs: [Epoch] = []
  var answers: [ReceiverMessage] = []
  var verdicts: [SignalVerdicts] = []
  var leapSeconds: [NavTIMELS] = []

  init(keepsAnswers: Bool) { self.keepsAnswers = keepsAnswers }

  mutating func receive(_ epoch: Epoch) { epochs.append(epoch) }

  var wantsSentences: Bool { keepsAnswers }

  /// Receives a sentence, and collects the text of a TXT sentence. A u-blox receiver sends a copyright text when the
  /// receiver starts. (M8 R27 §31.2, TXT; M10 SPG 5.10 §2.8)
  mutating func receive(_ sentence: Sentence, from talker: Talker) {
    guard case .txt(let txt) = sentence else { return }
    if txt.text.split(separator: " ").contains("www.u-blox.com") {
      answers.append(.started)
    } else if let answer = ReceiverAnswer("TXT,\(txt.text)") {
      answers.append(.answer(answer))
    }
  }

  /// Receives a sentence that the decoder does not support, and collects the sentence if a manufacturer has defined it.
  /// The address of such a sentence begins with `P`.
  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    guard keepsAnswers, !content.isEmpty, bytes[content.lowerBound] == UInt8(ascii: "P"),
      let answer = ReceiverAnswer(String(decoding: content.map { bytes[$0] }, as: UTF8.self))
    else { return }
    answers.append(.answer(answer))
  }

  /// Receives a UBX message. The collector keeps verdicts about attacks on the satellite signals, announcements of leap
  /// seconds, and answers of the receiver: acknowledgements, the requested configuration, and the requested version.
  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    let identifier = UBXIdentifier(frameClass, id)
    if let verdicts = try? SignalVerdicts(identifier, bytes.extracting(payload)) { self.verdicts.append(verdicts) }
    if identifier == .navTIMELS, let message = try? NavTIMELS(bytes.extracting(payload)) { leapSeconds.append(message) }
    guard keepsAnswers, [0x05, 0x06, 0x0A].contains(frameClass) else { return }
    answers.append(.frame(identifier, payload.map { bytes[$0] }))
  }
}
