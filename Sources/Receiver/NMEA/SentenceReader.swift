import Clocks
import Framing
import GNSS

/// Frames to sentences, sentences to epochs, and all of them counted.
struct SentenceReader: Sendable {
  var statistics = Statistics()
  private(set) var assembler: EpochAssembler
  private let requiresChecksum: Bool
  private var repeated = RepeatedFields()
  /// When the first byte arrived of the sentences that are being read, and when the last.
  var began = MonotonicInstant(nanoseconds: 0)
  var ended = MonotonicInstant(nanoseconds: 0)

  init(_ configuration: NMEAConfiguration) {
    assembler = EpochAssembler(configuration)
    requiresChecksum = configuration.requiresChecksum
  }

  /// Reads a sentence whose checksum is right. Whether sentences are wanted is asked once for many.
  @inline(__always)
  mutating func read(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ wantsSentences: Bool, _ output: inout some NMEAOutput
  ) {
    do throws(NMEAError) {
      let outcome = try process(sentence, in: bytes)
      // Nearly every sentence ends nothing and is wanted by nobody.
      if wantsSentences || !outcome.isDisjoint(with: [.endsEpoch, .endsEpochBefore]) {
        try handOver(outcome, sentence, in: bytes, wantsSentences, &output)
      }
    } catch {
      reject(error, &output)
    }
  }

  /// Reads a frame of whatever kind.
  @inline(never)
  mutating func read(
    _ frame: Frame, in bytes: Span<UInt8>, _ wantsSentences: Bool, _ output: inout some NMEAOutput
  ) {
    switch frame.kind {
    case .sentence(let computed, let received):
      if let received, received != computed {
        reject(.checksumMismatch(computed: computed, received: received), &output)
      } else if received == nil, requiresChecksum {
        reject(.missingChecksum, &output)
      } else if frame.isEncapsulating {
        do throws(NMEAError) {
          try ignore(frame.content, in: bytes)
          if wantsSentences { output.receiveOther(frame.content, in: bytes) }
        } catch { reject(error, &output) }
      } else {
        read(MarkedSentence(bytes, content: frame.content), in: bytes, wantsSentences, &output)
      }
    case .ubx(let frameClass, let id):
      statistics.ubxFrames &+= 1
      output.receiveUBX(class: frameClass, id: id, frame.content, in: bytes)
    case .rtcm3:
      statistics.rtcm3Frames &+= 1
      output.receiveRTCM3(frame.content, in: bytes)
    case .rejected(let reason): reject(.framing(reason), &output)
    }
  }

  @inline(never)
  private mutating func reject(_ error: NMEAError, _ output: inout some NMEAOutput) {
    statistics.count(error)
    output.receive(error)
  }

  /// Hands over what a sentence has ended, and itself to who wants it.
  @inline(never)
  private mutating func handOver(
    _ outcome: Outcome, _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ wantsSentences: Bool,
    _ output: inout some NMEAOutput
  ) throws(NMEAError) {
    if outcome.contains(.endsEpochBefore) { emit(&output) }
    if outcome.isEmpty, wantsSentences { output.receiveOther(sentence.start..<sentence.end, in: bytes) }
    if outcome.contains(.isRead), wantsSentences {
      // Nobody pays for it but who wants it: the sentence is read once more.
      if let address = Address(bytes, sentence) {
        var fields = Fields(bytes, sentence, address.type, addressLength: address.length)
        output.receive(try Sentence(address, &fields, in: bytes), from: address.talker)
      }
    }
    if outcome.contains(.endsEpoch) {
      assembler.close(byItsLastSentence: true)
      emit(&output)
    }
  }

  /// What a sentence did.
  private struct Outcome: OptionSet {
    let rawValue: UInt8
    static let isRead = Outcome(rawValue: 1)
    /// It belongs to the epoch at hand.
    static let joins = Outcome(rawValue: 8)
    /// It belongs to an epoch that was handed over.
    static let isLate = Outcome(rawValue: 16)
    /// The epoch before it is over, and closed.
    static let endsEpochBefore = Outcome(rawValue: 2)
    /// The epoch that it belongs to is over with it.
    static let endsEpoch = Outcome(rawValue: 4)
  }

  /// Reads a sentence and takes what it says. All of it is read before any of it counts.
  ///
  /// Those that come often have a function each: there the type is known when it is compiled, and the cursor over the
  /// fields stays in registers.
  @inline(always)
  private mutating func process(_ sentence: MarkedSentence, in bytes: Span<UInt8>) throws(NMEAError) -> Outcome {
    guard let address = Address(bytes, sentence) else {
      try ignore(sentence.start..<sentence.end, in: bytes)
      return []
    }
    switch address.type {
    case .gga: return try processGGA(sentence, in: bytes, address.talker)
    case .rmc: return try processRMC(sentence, in: bytes, address.talker)
    case .gsa: return try processGSA(sentence, in: bytes, address.talker)
    case .gsv: return try processGSV(sentence, in: bytes, address.talker)
    case .vtg: return try processVTG(sentence, in: bytes, address.talker)
    case .gll: return try processGLL(sentence, in: bytes, address.talker)
    default: return try processRare(sentence, in: bytes, address)
    }
  }

  @inline(never)
  private mutating func processGGA(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .gga)
    let gga = try GGA(&fields, in: bytes, &repeated)
    let marks = SentenceMarks(.gga, talker, time: gga.time)
    let outcome = place(marks)
    guard outcome.contains(.joins) else { return outcome }
    assembler.contents.take(gga)
    return settle(outcome, marks)
  }

  @inline(never)
  private mutating func processRMC(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .rmc)
    let rmc = try RMC(&fields, in: bytes, &repeated)
    assembler.learn(rmc.date, at: rmc.time, hasFix: rmc.hasFix)
    let marks = SentenceMarks(.rmc, talker, time: rmc.time)
    let outcome = place(marks)
    guard outcome.contains(.joins) else { return outcome }
    assembler.contents.take(rmc)
    return settle(outcome, marks)
  }

  @inline(never)
  private mutating func processGSA(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .gsa)
    var gsa = GSA()
    try gsa.read(&fields, in: bytes)
    let marks = SentenceMarks(.gsa, talker, qualifier: gsa.systemID)
    let outcome = place(marks)
    assembler.take(gsa, talker: talker, isLate: outcome.contains(.isLate))
    return settle(outcome, marks)
  }

  @inline(never)
  private mutating func processGSV(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var gsv = GSV(talker: talker)
    try gsv.read(sentence, in: bytes)
    let marks = SentenceMarks(.gsv, talker, qualifier: gsv.signal, endsGroup: gsv.endsGroup)
    let outcome = place(marks)
    assembler.take(gsv)
    return settle(outcome, marks)
  }

  @inline(never)
  private mutating func processVTG(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .vtg)
    let vtg = try VTG(&fields, in: bytes)
    let marks = SentenceMarks(.vtg, talker)
    let outcome = place(marks)
    guard outcome.contains(.joins) else { return outcome }
    assembler.contents.take(vtg)
    return settle(outcome, marks)
  }

  @inline(never)
  private mutating func processGLL(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .gll)
    let gll = try GLL(&fields, in: bytes, &repeated)
    let marks = SentenceMarks(.gll, talker, time: gll.time)
    let outcome = place(marks)
    guard outcome.contains(.joins) else { return outcome }
    assembler.contents.take(gll)
    return settle(outcome, marks)
  }

  @inline(never)
  private mutating func processRare(
    _ text: MarkedSentence, in bytes: Span<UInt8>, _ address: Address
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, text, address.type, addressLength: address.length)
    let sentence = try Sentence(address, &fields, in: bytes)
    let marks = SentenceMarks(address.type, address.talker, time: sentence.measurementTime)
    switch sentence {
    case .zda(let zda): assembler.learn(zda.date, at: zda.time, hasFix: nil)
    case .pubxTime(let pubx): assembler.learn(pubx.date, at: pubx.time, hasFix: nil)
    case .dtm(let dtm): assembler.datumUncertainty = dtm.uncertainty
    default: break
    }
    let outcome = place(marks)
    guard outcome.contains(.joins) else { return outcome }
    switch sentence {
    case .gns(let gns): assembler.contents.take(gns)
    case .gst(let gst): assembler.contents.take(gst)
    case .gbs(let gbs): assembler.contents.take(gbs)
    case .pubxPosition(let pubx): assembler.contents.take(pubx)
    case .zda(let zda): assembler.contents.takeClock(zda.time)
    case .pubxTime(let pubx): assembler.contents.takeClock(pubx.time)
    case .hdt, .dtm, .txt, .acknowledgement, .gga, .rmc, .gsa, .gsv, .vtg, .gll: break
    }
    return settle(outcome, marks)
  }

  /// Finds the place of a sentence that was read, and closes the epoch before it.
  @inline(always)
  private mutating func place(_ marks: SentenceMarks) -> Outcome {
    statistics.count(marks.type, from: marks.talker)
    switch assembler.place(marks) {
    case .joins: return [.isRead, .joins]
    case .begins: return beginEpoch()
    case .late:
      assembler.noteLate()
      return [.isRead, .isLate]
    case .apart: return .isRead
    }
  }

  @inline(never)
  private mutating func beginEpoch() -> Outcome {
    var outcome: Outcome = [.isRead, .joins]
    if assembler.awaitsEnd {
      assembler.close()
      outcome.insert(.endsEpochBefore)
    }
    assembler.begin(at: began)
    return outcome
  }

  /// Looks whether the epoch is over with a sentence whose contents were taken.
  @inline(__always)
  private mutating func settle(_ outcome: Outcome, _ marks: SentenceMarks) -> Outcome {
    guard outcome.contains(.joins), assembler.note(marks, at: ended) else { return outcome }
    return outcome.union(.endsEpoch)
  }

  @inline(never)
  private mutating func ignore(_ content: Range<Int>, in bytes: Span<UInt8>) throws(NMEAError) {
    let end = content.first { bytes[$0] == 0x2C } ?? content.upperBound
    let length = end - content.lowerBound
    guard length >= 3 else { throw .malformedAddress }
    statistics.countIgnored(Field(word: word(bytes, at: content.lowerBound), start: 0, length: length).word)
  }

  /// The line is silent.
  mutating func silence(_ output: inout some NMEAOutput) {
    if assembler.awaitsEnd { closeEpoch(&output) }
    assembler.noteSilence()
  }

  /// Hands over the epoch at hand, if there is one that tells anything of navigation.
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
