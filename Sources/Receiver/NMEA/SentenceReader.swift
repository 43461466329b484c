import Base
import Framing
import GNSS

/// A reader that parses frames into sentences, and assembles sentences into epochs.
struct SentenceReader: Sendable {
  var statistics = Statistics()
  private(set) var assembler: EpochAssembler
  private let requiresChecksum: Bool
  /// The arrival time of the first byte of the current sentences.
  var began = MonotonicInstant(nanoseconds: 0)
  /// The arrival time of the last byte of the current sentences.
  var ended = MonotonicInstant(nanoseconds: 0)

  init(_ configuration: NMEAConfiguration) {
    assembler = EpochAssembler(configuration)
    requiresChecksum = configuration.requiresChecksum
  }

  /// Processes a sentence with a correct checksum.
  /// - Parameter wantsSentences: The value of `output.wantsSentences`, which the caller reads before the first sentence.
  @inline(__always)
  mutating func read(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ wantsSentences: Bool, _ output: inout some NMEAOutput
  ) {
    do throws(NMEAError) {
      let outcome = try process(sentence, in: bytes)
      // Most sentences do not end an epoch, and most outputs do not want sentences.
      if wantsSentences || !outcome.isDisjoint(with: [.endsEpoch, .endsEpochBefore]) {
        try deliver(outcome, sentence, in: bytes, wantsSentences, &output)
      }
    } catch {
      reject(error, &output)
    }
  }

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

  /// Passes complete epochs to the output, and also the sentence if the output wants sentences.
  @inline(never)
  private mutating func deliver(
    _ outcome: Outcome, _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ wantsSentences: Bool,
    _ output: inout some NMEAOutput
  ) throws(NMEAError) {
    if outcome.contains(.endsEpochBefore) { emit(&output) }
    if outcome.isEmpty, wantsSentences { output.receiveOther(sentence.start..<sentence.end, in: bytes) }
    if outcome.contains(.isRead), wantsSentences {
      // The sentence is parsed a second time, so that the first parse can be simple and fast.
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

  private struct Outcome: OptionSet {
    let rawValue: UInt8
    static let isRead = Outcome(rawValue: 1)
    /// The sentence belongs to the open epoch.
    static let joins = Outcome(rawValue: 8)
    /// The sentence belongs to an epoch that was already emitted.
    static let isLate = Outcome(rawValue: 16)
    /// The sentence ended the previous epoch, which is now complete.
    static let endsEpochBefore = Outcome(rawValue: 2)
    /// The sentence ends its own epoch.
    static let endsEpoch = Outcome(rawValue: 4)
    /// The sentence comes from a device that is not the chosen one, and has the time of the open epoch.
    static let isAside = Outcome(rawValue: 32)
  }

  /// Parses a sentence, and applies its contents only if all fields are valid.
  ///
  /// Each frequent type has its own function, so that the cursor over the fields stays in registers.
  ///
  /// In this module, `@_transparent` marks the functions that the compiler does not inline with `@inline(__always)`.
  /// Swift 6.2 does not have `@inline(always)`. Without these marks, `onefix decode` takes 8 to 13 % longer
  /// (`Scripts/bench decode`).
  @_transparent
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
    let gga = try GGA(&fields, in: bytes)
    note(fields)
    return join(SentenceMarks(.gga, talker, time: gga.time, coordinate: gga.fix)) { $0.apply(gga) }
  }

  @inline(never)
  private mutating func processRMC(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .rmc)
    let rmc = try RMC(&fields, in: bytes)
    note(fields)
    let marks = SentenceMarks(
      .rmc, talker, time: rmc.time, coordinate: rmc.hasFix ? rmc.coordinate : nil, date: rmc.date)
    let outcome = join(marks) { $0.apply(rmc) }
    if outcome.contains(.isLate) { assembler.learn(rmc.date, at: rmc.time) }
    if outcome.contains(.isAside) { assembler.contents.applyAside(rmc) }
    return outcome
  }

  @inline(never)
  private mutating func processGSA(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .gsa)
    var gsa = GSA()
    try gsa.read(&fields, in: bytes)
    note(fields)
    let marks = SentenceMarks(.gsa, talker, qualifier: gsa.systemID)
    let outcome = assign(marks)
    assembler.apply(gsa, talker: talker, isLate: outcome.contains(.isLate))
    return complete(outcome, marks)
  }

  @inline(never)
  private mutating func processGSV(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var gsv = GSV(talker: talker)
    let unreadable = try gsv.read(sentence, in: bytes)
    if unreadable != 0 { statistics.countUnreadable(.gsv, unreadable) }
    let marks = SentenceMarks(.gsv, talker, qualifier: gsv.signal, endsGroup: gsv.endsGroup)
    let outcome = assign(marks)
    assembler.apply(gsv)
    return complete(outcome, marks)
  }

  @inline(never)
  private mutating func processVTG(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .vtg)
    let vtg = try VTG(&fields, in: bytes)
    note(fields)
    let outcome = join(SentenceMarks(.vtg, talker)) { $0.apply(vtg) }
    if outcome.contains(.isAside) { assembler.contents.apply(vtg) }
    return outcome
  }

  @inline(never)
  private mutating func processGLL(
    _ sentence: MarkedSentence, in bytes: Span<UInt8>, _ talker: Talker
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, sentence, .gll)
    let gll = try GLL(&fields, in: bytes)
    note(fields)
    let marks = SentenceMarks(.gll, talker, time: gll.time, coordinate: gll.hasFix ? gll.coordinate : nil)
    return join(marks) { $0.apply(gll) }
  }

  @inline(never)
  private mutating func processRare(
    _ text: MarkedSentence, in bytes: Span<UInt8>, _ address: Address
  ) throws(NMEAError) -> Outcome {
    var fields = Fields(bytes, text, address.type, addressLength: address.length)
    let sentence = try Sentence(address, &fields, in: bytes)
    note(fields)
    let (date, clock) = sentence.clock
    let marks = SentenceMarks(
      address.type, address.talker, time: sentence.measurementTime, coordinate: sentence.fix, date: date, clock: clock)
    if case .dtm(let dtm) = sentence { assembler.datumUncertainty = dtm.uncertainty }
    let outcome = join(marks) { contents in
      switch sentence {
      case .gns(let gns): contents.apply(gns)
      case .gst(let gst): contents.apply(gst)
      case .gbs(let gbs): contents.apply(gbs)
      case .pubxPosition(let pubx): contents.apply(pubx)
      case .zda, .pubxTime:
        contents.applyClock(clock)
        contents.learn(date, at: clock)
      case .positionError(let error): contents.apply(error)
      case .hdt, .dtm, .txt, .gga, .rmc, .gsa, .gsv, .vtg, .gll: break
      }
    }
    if outcome.contains(.isLate) { assembler.learn(date, at: clock) }
    if outcome.contains(.isAside) { assembler.contents.learn(date, at: clock) }
    return outcome
  }

  /// Counts the fields of a valid sentence that could not be read.
  @inline(__always)
  private mutating func note(_ fields: Fields) {
    if fields.unreadable != 0 { statistics.countUnreadable(fields.type, fields.unreadable) }
  }

  /// Assigns a parsed sentence to an epoch, and applies its contents if the epoch is open.
  @_transparent
  private mutating func join(_ marks: SentenceMarks, _ apply: (inout EpochContents) -> Void) -> Outcome {
    let outcome = assign(marks)
    guard outcome.contains(.joins) else { return outcome }
    apply(&assembler.contents)
    return complete(outcome, marks)
  }

  /// Assigns a parsed sentence to an epoch, and closes the previous epoch if the sentence begins a new epoch.
  @_transparent
  private mutating func assign(_ marks: SentenceMarks) -> Outcome {
    statistics.count(marks.type, from: marks.talker)
    switch assembler.assign(marks, at: began) {
    case .joins: return [.isRead, .joins]
    case .begins: return beginEpoch()
    case .aside: return [.isRead, .isAside]
    case .late:
      assembler.countLate()
      return [.isRead, .isLate]
    case .independent: return .isRead
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

  /// Records a sentence whose contents were applied. Determines whether it ends the epoch.
  @inline(__always)
  private mutating func complete(_ outcome: Outcome, _ marks: SentenceMarks) -> Outcome {
    guard outcome.contains(.joins), assembler.record(marks, at: ended) else { return outcome }
    return outcome.union(.endsEpoch)
  }

  @inline(never)
  private mutating func ignore(_ content: Range<Int>, in bytes: Span<UInt8>) throws(NMEAError) {
    let end: Int = content.first { bytes[$0] == 0x2C } ?? content.upperBound
    let length = end - content.lowerBound
    guard length >= 3 else { throw .malformedAddress }
    statistics.countIgnored(Field(word: word(bytes, at: content.lowerBound), start: 0, length: length).word)
  }

  mutating func handleSilence(_ output: inout some NMEAOutput) {
    if assembler.awaitsEnd { closeEpoch(&output) }
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
