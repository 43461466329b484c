import Decoding
import GNSS

/// A buffer for all results of one call of the decoder: epochs (all data of one instant), answers to commands, and
/// reports of jamming or spoofing.
struct Collector: NMEAOutput {
  let keepsAnswers: Bool
  var epochs: [Epoch] = []
  var answers: [ReceiverMessage] = []
  var verdicts: [SignalThreats] = []
  var leapSeconds: [NavTIMELS] = []

  init(keepsAnswers: Bool) { self.keepsAnswers = keepsAnswers }

  mutating func receive(_ epoch: Epoch) { epochs.append(epoch) }

  /// Keeps a sentence without position data, if the sentence is an answer to a command, or the copyright text that a
  /// u-blox receiver sends at its start. (M8 R27 §31.2, TXT; M10 SPG 5.10 §2.8)
  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    guard keepsAnswers else { return }
    var sentence = String(decoding: content.map { bytes[$0] }, as: UTF8.self)
    if sentence.dropFirst(2).hasPrefix("TXT,") {
      // The fields before the text are the number of sentences, the position among them, and the kind of message.
      let fields = sentence.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false)
      guard fields.count == 5 else { return }
      if fields[4].split(separator: " ").contains("www.u-blox.com") { return answers.append(.started) }
      sentence = "TXT,\(fields[4])"
    }
    if let answer = ReceiverAnswer(sentence) { answers.append(.answer(answer)) }
  }

  /// Keeps the reports of jamming and spoofing, announcements of leap seconds, and answers to commands, from the binary
  /// protocol UBX.
  ///
  /// The classes 0x05, 0x06 and 0x0A contain acknowledgements, settings and versions.
  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    let identifier = UBXIdentifier(frameClass, id)
    if let verdicts = try? SignalThreats(identifier, bytes.extracting(payload)) { self.verdicts.append(verdicts) }
    if identifier == .navTIMELS, let message = try? NavTIMELS(bytes.extracting(payload)) { leapSeconds.append(message) }
    guard keepsAnswers, [0x05, 0x06, 0x0A].contains(frameClass) else { return }
    answers.append(.frame(identifier, payload.map { bytes[$0] }))
  }
}
