import Clocks
import GNSS

/// An assembler that combines sentences into epochs, exactly one for each instant that the receiver reports.
///
/// A sentence with a different time begins an epoch. A sentence with the time of an emitted epoch is late. An epoch
/// ends when the next epoch begins, when the line is silent, or after its usual last sentence (`EpochEnding`).
struct EpochAssembler: Sendable {
  /// The relation of a sentence to the open epoch.
  enum Assignment {
    case joins
    /// The sentence begins a new epoch and ends the open epoch.
    case begins
    /// The sentence belongs to an emitted epoch, or repeats a sentence of that epoch.
    case late
    /// The sentence belongs to no epoch.
    case independent
  }

  private enum Phase {
    case open
    /// A silence of the line ended the last epoch, or no sentence has arrived yet.
    case silent
    /// A sentence ended the last epoch.
    case ended
  }

  /// The open epoch. After a call of `close`, the completed epoch.
  private(set) var epoch: Epoch
  private(set) var lateSentences = 0
  /// The uncertainty of the datum in metres, from the last DTM sentence; nil for WGS 84.
  var datumUncertainty: Double?
  private(set) var idleGap: Duration

  private let learnsEnd: Bool
  private var phase = Phase.silent
  var contents = EpochContents()
  private var calendar: Calendar
  private var knowsDay = false
  private var satellites = SatelliteTable()
  private var ending = EpochEnding()
  private var signature: UInt64 = 0
  private var closedTypes = SentenceSet()
  /// The time of the last emitted epoch in nanoseconds since midnight; -1 if it has no time.
  private var closedTime: Int64 = -1
  private var repeatsTime = false
  private var hadFix = false

  init(_ configuration: NMEAConfiguration) {
    epoch = Epoch(began: MonotonicInstant(nanoseconds: 0), ended: MonotonicInstant(nanoseconds: 0))
    calendar = Calendar(floor: configuration.rolloverFloor)
    idleGap = configuration.idleGap
    learnsEnd = configuration.learnsEnd
  }

  /// Whether an open epoch waits for its end.
  var awaitsEnd: Bool { phase == .open && contents.hasNavigation }

  /// Whether the assembler has learned which sentence ends the epochs, so that the decoder can wait longer for it.
  var knowsEnd: Bool { ending.isKnown && learnsEnd }

  // MARK: Assigning

  @inline(__always)
  mutating func assign(_ sentence: SentenceMarks) -> Assignment {
    if sentence.isIndependent { return .independent }
    if sentence.time < 0 { return assignUntimed(sentence.type) }
    if phase == .open {
      if contents.time == sentence.time { return .joins }
      if isSame(sentence.time, closedTime) { return .late }
      if contents.time >= 0 { return isSame(sentence.time, contents.time) ? .joins : .begins }
      return contents.types.contains(sentence.type) ? .begins : .joins
    }
    guard isSame(sentence.time, closedTime) else { return .begins }
    judgeLate(sentence.type)
    return .late
  }

  @inline(__always)
  private mutating func assignUntimed(_ type: SentenceType) -> Assignment {
    switch phase {
    case .open: return type.occursOnce && contents.types.contains(type) ? .begins : .joins
    case .silent: return .begins
    case .ended:
      if type.occursOnce, closedTypes.contains(type) { return repeatsTime ? .late : .begins }
      if !repeatsTime { ending.endedTooEarly() }
      return .late
    }
  }

  /// Handles a late sentence. Either the last emitted epoch was not complete, or the receiver repeats that epoch.
  @inline(never)
  private mutating func judgeLate(_ type: SentenceType) {
    if closedTypes.contains(type) {
      repeatsTime = true
    } else if !repeatsTime {
      switch phase {
      case .ended: ending.endedTooEarly()
      case .silent: idleGap = min(idleGap * 2, .milliseconds(500))
      case .open: break
      }
    }
  }

  /// Returns whether sentences with these times belong to one epoch. The times can have different numbers of decimals.
  @inline(__always)
  private func isSame(_ time: Int64, _ other: Int64) -> Bool {
    other >= 0 && abs(time - other) < 5_000_000
  }

  // MARK: Beginning and closing

  private static let longSilence: Int64 = 36_000_000_000_000

  mutating func begin(at instant: MonotonicInstant) {
    if phase == .ended { ending.ended(with: signature) }
    let silence = instant.nanoseconds &- epoch.ended.nanoseconds
    if silence > EpochAssembler.longSilence, !knowsDay { calendar.forget() }
    phase = .open
    contents = EpochContents()
    signature = 0
    repeatsTime = false
    contents.began = instant
    contents.ended = instant
  }

  mutating func close(byItsLastSentence: Bool = false) {
    if byItsLastSentence {
      phase = .ended
    } else {
      phase = .silent
      ending.ended(with: signature)
    }
    contents.write(to: &epoch)
    epoch.datumUncertainty = datumUncertainty
    epoch.startsSequence = false
    if contents.time >= 0 {
      // A step back by half a day or more means that midnight has passed.
      epoch.startsSequence = closedTime > contents.time && closedTime - contents.time < 43_200_000_000_000
      closedTime = contents.time
    } else {
      closedTime = -1
    }
    epoch.date = epoch.timeOfDay.flatMap { calendar.date(at: $0) }
    knowsDay = false
    epoch.isDateCorrected = epoch.date != nil && calendar.isCorrected
    satellites.merge(into: &epoch.satellites)
    closedTypes = contents.types
    hadFix = epoch.coordinate != nil
  }

  /// Handles a silence of the line. After it, a sentence without a time begins an epoch and is not late.
  mutating func handleSilence() {
    guard phase == .ended else { return }
    ending.ended(with: signature)
    phase = .silent
  }

  // MARK: Contents

  @inline(__always)
  mutating func record(_ marks: SentenceMarks, at instant: MonotonicInstant) -> Bool {
    contents.ended = instant
    contents.types.insert(marks.type)
    if marks.time >= 0, contents.time < 0 { contents.time = marks.time }
    signature = marks.signature(occurrence: contents.groupsUsed)
    guard learnsEnd else { return false }
    return ending.record(signature) && contents.hasNavigation
  }

  mutating func countLate() {
    lateSentences &+= 1
  }

  // The function is inlined, so that the compiler does not copy the sentence.
  @_transparent
  mutating func apply(_ gsa: GSA, talker: Talker, isLate: Bool) {
    satellites.add(gsa, talker: talker)
    guard !isLate else { return }
    contents.groupsUsed += 1
    contents.apply(gsa)
  }

  @inline(__always)
  mutating func apply(_ gsv: GSV) {
    satellites.add(gsv)
  }

  /// Updates the calendar with a date.
  /// - Parameter hasFix: Whether the receiver has a fix; nil if the sentence does not contain this information.
  @inline(__always)
  mutating func learn(_ date: UTCDate?, at time: TimeOfDay?, hasFix: Bool?) {
    guard let date, let time else { return }
    calendar.learn(date, at: time, hasFix: hasFix ?? (hadFix || contents.hasFix))
    knowsDay = true
  }
}
