import Base
import GNSS

/// The second stage of the NMEA decoder. The reader parses each frame as a sentence, and combines the sentences into
/// epochs (data sets of one instant).
struct SentenceReader: Sendable {
  var statistics = Statistics()
  private(set) var assembler: EpochAssembler
  private let requiresChecksum: Bool
  /// The arrival time of the present frame's first byte.
  var began = MonotonicInstant(nanoseconds: 0)
  /// The arrival time of the present frame's last byte.
  var ended = MonotonicInstant(nanoseconds: 0)

  init(_ configuration: NMEAConfiguration) {
    assembler = EpochAssembler(configuration)
    requiresChecksum = configuration.requiresChecksum
  }

  mutating func read(_ frame: Frame, in bytes: Span<UInt8>, _ output: inout some NMEAOutput) {
    do throws(NMEAError) {
      switch frame.kind {
      case .sentence(let computed, let received):
        if let received, received != computed { throw .checksumMismatch(computed: computed, received: received) }
        if received == nil, requiresChecksum { throw .missingChecksum }
        let beginning = word(bytes, at: frame.content.lowerBound)
        let row = frame.isEncapsulating ? nil : SentenceRow.index(of: beginning, length: frame.content.count)
        if let row {
          try read(row, frame.content, in: bytes, &output)
        } else {
          try ignore(frame.content, in: bytes)
          output.receiveOther(frame.content, in: bytes)
        }
      case .ubx(let frameClass, let id):
        statistics.ubxFrames &+= 1
        output.receiveUBX(class: frameClass, id: id, frame.content, in: bytes)
      case .rtcm3:
        statistics.rtcm3Frames &+= 1
        output.receiveRTCM3(frame.content, in: bytes)
      case .rejected(let reason): throw .framing(reason)
      }
    } catch {
      statistics.count(error)
      output.receive(error)
    }
  }

  /// Reads an NMEA sentence, and adds its values to the current epoch (all data of one instant). `row` is the index of
  /// the sentence type in the table `SentenceRow.all`.
  /// - Throws: an error if the time, the position or its validity is malformed.
  private mutating func read(
    _ row: Int, _ content: Range<Int>, in bytes: Span<UInt8>, _ output: inout some NMEAOutput
  ) throws(NMEAError) {
    let start = content.lowerBound
    let role = SentenceRow.all[row].role
    let talker =
      role.traits.contains(.proprietary)
      ? Talker.proprietary : Talker(code: UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8)
    var fields = Fields(bytes, content: content, role)
    var sentence = Sentence(role, talker)
    try sentence.read(SentenceRow.all[row].fields, &fields)
    if sentence.unreadable != 0 { statistics.countUnreadable(sentence.type, sentence.unreadable) }
    statistics.count(sentence.type, from: talker)
    switch assembler.assign(&sentence, at: began) {
    case .joins: break
    case .begins:
      closeEpoch(&output)
      assembler.begin(at: began)
    case .aside: return assembler.takeAside(&sentence)
    case .late: return assembler.takeLate(&sentence)
    case .independent:
      assembler.datumUncertainty = sentence.datumUncertainty
      return
    }
    if assembler.take(&sentence, at: ended) {
      assembler.close(byItsLastSentence: true)
      emit(&output)
    }
  }

  private mutating func ignore(_ content: Range<Int>, in bytes: Span<UInt8>) throws(NMEAError) {
    let address = content.prefix { bytes[$0] != Fields.comma }
    guard address.count >= 3 else { throw .malformedAddress }
    statistics.countIgnored(String(decoding: address.prefix(8).map { bytes[$0] }, as: UTF8.self))
  }

  mutating func handleSilence(_ output: inout some NMEAOutput) {
    closeEpoch(&output)
    assembler.handleSilence()
  }

  mutating func closeEpoch(_ output: inout some NMEAOutput) {
    guard assembler.awaitsEnd else { return }
    assembler.close()
    emit(&output)
  }

  private mutating func emit(_ output: inout some NMEAOutput) {
    statistics.epochs &+= 1
    if assembler.epoch.coordinate != nil { statistics.fixes &+= 1 }
    output.receive(assembler.epoch)
  }
}
