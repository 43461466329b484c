import Clocks
import Framing
import GNSS

/// Frames to sentences, sentences to epochs, and all of them counted.
struct SentenceReader: Sendable {
  var statistics = Statistics()
  private(set) var assembler: EpochAssembler
  private let requiresChecksum: Bool

  init(_ configuration: NMEAConfiguration) {
    assembler = EpochAssembler(configuration)
    requiresChecksum = configuration.requiresChecksum
  }

  /// Reads a frame. Whether sentences are wanted is asked once for many frames.
  @inline(__always)
  mutating func read(
    _ frame: Frame, in bytes: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant, _ wantsSentences: Bool,
    _ output: inout some NMEAOutput
  ) {
    // Nearly every frame is this: a sentence with a right checksum that ends nothing and is wanted by nobody.
    if case .sentence(let computed, let received?) = frame.kind, computed == received {
      do throws(NMEAError) {
        let outcome = try process(frame, in: bytes, began: began, ended: ended)
        if wantsSentences || !outcome.isDisjoint(with: [.endsEpoch, .endsEpochBefore]) {
          try handOver(outcome, frame, in: bytes, wantsSentences, &output)
        }
      } catch {
        reject(error, &output)
      }
    } else {
      readOther(frame, in: bytes, began: began, ended: ended, wantsSentences, &output)
    }
  }

  @inline(never)
  private mutating func readOther(
    _ frame: Frame, in bytes: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant, _ wantsSentences: Bool,
    _ output: inout some NMEAOutput
  ) {
    switch frame.kind {
    case .sentence(let computed, let received):
      do throws(NMEAError) {
        if let received { throw .checksumMismatch(computed: computed, received: received) }
        if requiresChecksum { throw .missingChecksum }
        let outcome = try process(frame, in: bytes, began: began, ended: ended)
        try handOver(outcome, frame, in: bytes, wantsSentences, &output)
      } catch {
        reject(error, &output)
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
    _ outcome: Outcome, _ frame: Frame, in bytes: Span<UInt8>, _ wantsSentences: Bool,
    _ output: inout some NMEAOutput
  ) throws(NMEAError) {
    if outcome.contains(.endsEpochBefore) { emit(&output) }
    if outcome.isEmpty, wantsSentences { output.receiveOther(frame.content, in: bytes) }
    if outcome.contains(.isRead), wantsSentences {
      // Nobody pays for it but who wants it: the sentence is read once more.
      if let address = Address(bytes, content: frame.content) {
        var fields = Fields(bytes, content: frame.content, address)
        output.receive(try Sentence(address, &fields), from: address.talker)
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
  private mutating func process(
    _ frame: Frame, in bytes: Span<UInt8>, began: MonotonicInstant, ended: MonotonicInstant
  ) throws(NMEAError) -> Outcome {
    guard !frame.isEncapsulating, let address = Address(bytes, content: frame.content) else {
      try ignore(frame, in: bytes)
      return []
    }
    var fields = Fields(bytes, content: frame.content, address)
    switch address.type {
    case .gga:
      let gga = try GGA(&fields)
      let marks = SentenceMarks(address, time: gga.time)
      let outcome = place(marks, began)
      guard outcome.contains(.joins) else { return outcome }
      assembler.contents.take(gga)
      return settle(outcome, marks, ended)
    case .rmc:
      let rmc = try RMC(&fields)
      assembler.learn(rmc.date, at: rmc.time, hasFix: rmc.hasFix)
      let marks = SentenceMarks(address, time: rmc.time)
      let outcome = place(marks, began)
      guard outcome.contains(.joins) else { return outcome }
      assembler.contents.take(rmc)
      return settle(outcome, marks, ended)
    case .gsa:
      var gsa = GSA()
      try gsa.read(&fields)
      let marks = SentenceMarks(address, qualifier: gsa.systemID)
      let outcome = place(marks, began)
      assembler.take(gsa, talker: address.talker, isLate: outcome.contains(.isLate))
      return settle(outcome, marks, ended)
    case .gsv:
      var gsv = GSV(talker: address.talker)
      try gsv.read(&fields)
      let marks = SentenceMarks(address, qualifier: gsv.signal, endsGroup: gsv.endsGroup)
      let outcome = place(marks, began)
      assembler.take(gsv)
      return settle(outcome, marks, ended)
    case .vtg:
      let vtg = try VTG(&fields)
      let marks = SentenceMarks(address)
      let outcome = place(marks, began)
      guard outcome.contains(.joins) else { return outcome }
      assembler.contents.take(vtg)
      return settle(outcome, marks, ended)
    case .gll:
      let gll = try GLL(&fields)
      let marks = SentenceMarks(address, time: gll.time)
      let outcome = place(marks, began)
      guard outcome.contains(.joins) else { return outcome }
      assembler.contents.take(gll)
      return settle(outcome, marks, ended)
    default: return try processRare(address, &fields, began, ended)
    }
  }

  @inline(never)
  private mutating func processRare(
    _ address: Address, _ fields: inout Fields, _ began: MonotonicInstant, _ ended: MonotonicInstant
  ) throws(NMEAError) -> Outcome {
    let sentence = try Sentence(address, &fields)
    let marks = SentenceMarks(address, time: sentence.measurementTime)
    switch sentence {
    case .zda(let zda): assembler.learn(zda.date, at: zda.time, hasFix: nil)
    case .pubxTime(let pubx): assembler.learn(pubx.date, at: pubx.time, hasFix: nil)
    case .dtm(let dtm): assembler.datumUncertainty = dtm.uncertainty
    default: break
    }
    let outcome = place(marks, began)
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
    return settle(outcome, marks, ended)
  }

  /// Finds the place of a sentence that was read, and closes the epoch before it.
  private mutating func place(_ marks: SentenceMarks, _ began: MonotonicInstant) -> Outcome {
    statistics.count(marks.type, from: marks.talker)
    switch assembler.place(marks) {
    case .joins: return [.isRead, .joins]
    case .begins:
      var outcome: Outcome = [.isRead, .joins]
      if assembler.awaitsEnd {
        assembler.close()
        outcome.insert(.endsEpochBefore)
      }
      assembler.begin(at: began)
      return outcome
    case .late:
      assembler.noteLate()
      return [.isRead, .isLate]
    case .apart: return .isRead
    }
  }

  /// Looks whether the epoch is over with a sentence whose contents were taken.
  @inline(__always)
  private mutating func settle(_ outcome: Outcome, _ marks: SentenceMarks, _ ended: MonotonicInstant) -> Outcome {
    guard outcome.contains(.joins), assembler.note(marks, at: ended) else { return outcome }
    return outcome.union(.endsEpoch)
  }

  private mutating func ignore(_ frame: Frame, in bytes: Span<UInt8>) throws(NMEAError) {
    let end = frame.content.first { bytes[$0] == 0x2C } ?? frame.content.upperBound
    let length = end - frame.content.lowerBound
    guard length >= 3 else { throw .malformedAddress }
    statistics.countIgnored(Field(word: word(bytes, at: frame.content.lowerBound), start: 0, length: length).word)
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
