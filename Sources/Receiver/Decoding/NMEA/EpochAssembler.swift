import Base
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
    /// The sentence comes from a device that is not the chosen one, and has the time of the open epoch.
    case aside
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
  private var source = PositionSource()
  private var sequence = TimeSequence()
  private var calendar: Calendar
  private var satellites = SatelliteTable()
  private var ending = EpochEnding()
  private var signature: UInt64 = 0
  private var closedTypes = SentenceSet()
  /// The time of the last emitted epoch in nanoseconds since midnight; -1 if it has no time.
  private var closedTime: Int64 = -1
  /// The time of the epoch before it, if that time was later; otherwise -1.
  private var laterTime: Int64 = -1
  private var closedDate: UTCDate?
  /// Whether the next epoch has the time of the last one.
  private var repeatsNext = false
  /// The arrival of the first epoch with the current time.
  private var timeBegan = MonotonicInstant(nanoseconds: 0)
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

  mutating func assign(_ sentence: inout Sentence, at instant: MonotonicInstant) -> Assignment {
    if sentence.role.traits.contains(.independent) { return .independent }
    if !source.isChosen(&sentence, at: instant) { return assignOther(&sentence) }
    if sentence.time < 0 { return assignUntimed(&sentence) }
    if phase == .open {
      if contents.time == sentence.time || Self.isSame(sentence.time, contents.time) {
        return sentence.coordinate != nil && repeats(&sentence, at: instant) ? .begins : .joins
      }
      if Self.isSame(sentence.time, closedTime), !TimeSequence.isEarlier(contents.time, than: closedTime) {
        return .late
      }
      if contents.time >= 0 { return begins(sentence.time, after: contents.time, closedTime) ? .begins : .late }
      return contents.types.contains(sentence.type) ? .begins : .joins
    }
    if !Self.isSame(sentence.time, closedTime) {
      return begins(sentence.time, after: closedTime, laterTime) ? .begins : .late
    }
    if repeats(&sentence, at: instant) { return .begins }
    judgeLate(sentence.type)
    return .late
  }

  /// Assigns a sentence of a device that is not the chosen one. Such a sentence begins no epoch.
  private mutating func assignOther(_ sentence: inout Sentence) -> Assignment {
    switch sentence.type {
    case .gsa, .gsv, .zda: phase == .open ? .aside : .late
    default: phase == .open && (sentence.time < 0 || Self.isSame(sentence.time, contents.time)) ? .aside : .late
    }
  }

  /// Returns whether a sentence with a new time begins an epoch. Otherwise it is the late copy of an epoch.
  ///
  /// - Parameters:
  ///   - last: the time of the open epoch or of the last one.
  ///   - before: the time of the epoch before that epoch.
  private mutating func begins(_ time: Int64, after last: Int64, _ before: Int64) -> Bool {
    if TimeSequence.isEarlier(last, than: before), Self.isSame(time, before) || TimeSequence.follows(time, before) {
      return isAfterCopy(time, before)
    }
    return !sequence.isCopy(time, after: last)
  }

  /// Handles a sentence that shows that the epoch before it was a late copy. If the copy is still open, it is discarded.
  private mutating func isAfterCopy(_ time: Int64, _ before: Int64) -> Bool {
    sequence.findCopy()
    if phase == .open {
      contents = EpochContents()
      phase = .ended
    }
    (closedTime, laterTime) = (before, -1)
    return !Self.isSame(time, before)
  }

  /// The time of silence after which a time of day belongs to another day.
  private static let anotherDay = Duration.seconds(43_200)
  /// The shortest interval of two epochs with the same time, on a live line.
  private static let shortestRepetition = Duration.milliseconds(100)

  /// Returns whether a sentence with the time of the last epoch begins an epoch: its date is another one, or the sender
  /// repeats times while its positions change.
  private mutating func repeats(_ sentence: inout Sentence, at instant: MonotonicInstant) -> Bool {
    guard let lead = contents.lead, lead.type == sentence.type, lead.talker == sentence.talker else { return false }
    if let date = sentence.date, let own = contents.date, date != own { return true }
    let waited = instant - contents.began
    if waited > Self.anotherDay { return true }
    guard let position = sentence.coordinate else { return false }
    guard !learnsEnd || waited >= Self.shortestRepetition else { return false }
    repeatsNext = sequence.acceptsRepetition(moved: position != lead.position, isRecorded: !learnsEnd)
    return repeatsNext
  }

  /// The difference in nanoseconds from which the time of the receiver's clock belongs to another epoch. A receiver on a
  /// slow line writes this time up to two seconds after the measurement.
  private static let mostClockDifference: Int64 = 5_000_000_000

  private mutating func assignUntimed(_ sentence: inout Sentence) -> Assignment {
    let type = sentence.type
    let occursOnce = sentence.role.traits.contains(.once)
    let time = phase == .open ? contents.time : closedTime
    if sentence.clock >= 0, time >= 0, abs(dayDifference(time, sentence.clock)) > Self.mostClockDifference {
      return .begins
    }
    switch phase {
    case .open: return occursOnce && contents.types.contains(type) ? .begins : .joins
    case .silent: return .begins
    case .ended:
      if occursOnce, closedTypes.contains(type) { return repeatsTime ? .late : .begins }
      if !repeatsTime { ending.endedTooEarly() }
      return .late
    }
  }

  /// Handles a late sentence. Either the last emitted epoch was not complete, or the receiver repeats that epoch.
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
  private static func isSame(_ time: Int64, _ other: Int64) -> Bool {
    other >= 0 && abs(time - other) < 5_000_000
  }

  // MARK: Beginning and closing

  private static let longSilence: Int64 = 36_000_000_000_000

  mutating func begin(at instant: MonotonicInstant) {
    if phase == .ended { ending.ended(with: signature) }
    let silence = instant.nanoseconds &- epoch.ended.nanoseconds
    if silence > EpochAssembler.longSilence { calendar.forget() }
    if repeatsNext {
      repeatsNext = false
      contents = EpochContents()
      contents.isRepetition = true
    } else {
      sequence.timeChanged()
      timeBegan = instant
      contents = EpochContents()
    }
    phase = .open
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
    if let date = contents.date, let time = contents.dateTime {
      calendar.learn(date, at: time, hasFix: contents.dateHasFix ?? (contents.hasFix || hadFix))
    }
    if contents.isRepetition { extrapolateTime() }
    epoch.date = epoch.timeOfDay.flatMap { calendar.date(at: $0) }
    epoch.isDateCorrected = epoch.date != nil && calendar.isCorrected
    laterTime = TimeSequence.isEarlier(contents.time, than: closedTime) ? closedTime : -1
    epoch.startsSequence = isEarlier()
    (closedTime, closedDate) = (contents.time, epoch.date)
    satellites.merge(into: &epoch.satellites)
    closedTypes = contents.types
    hadFix = epoch.coordinate != nil
  }

  /// Whether the completed epoch is earlier than the last one.
  private mutating func isEarlier() -> Bool {
    guard contents.time >= 0, closedTime >= 0 else { return false }
    if let date = epoch.date, let closedDate, date != closedDate { return date < closedDate }
    // Without dates, a step back by half a day or more means that midnight has passed.
    return closedTime > contents.time && closedTime - contents.time < 43_200_000_000_000
  }

  /// Adds the time since the arrival of the first epoch with the same time. A recording has no such time.
  private mutating func extrapolateTime() {
    (epoch.repeatsTime, epoch.isTimeUncertain) = (true, true)
    guard let time = epoch.timeOfDay else { return }
    let waited = max(0, contents.began.nanoseconds &- timeBegan.nanoseconds)
    epoch.timeOfDay = time.advanced(byNanoseconds: waited)
  }

  /// Handles a silence of the line. After it, a sentence without a time begins an epoch and is not late.
  mutating func handleSilence() {
    guard phase == .ended else { return }
    ending.ended(with: signature)
    phase = .silent
  }

  // MARK: Contents

  /// Takes the contents of a sentence that belongs to the open epoch. Returns whether it ends the epoch.
  mutating func take(_ sentence: inout Sentence, at instant: MonotonicInstant) -> Bool {
    satellites.add(&sentence)
    contents.apply(&sentence)
    contents.ended = instant
    contents.types.insert(sentence.role)
    if contents.time < 0 { contents.time = sentence.time }
    if contents.lead == nil, let position = sentence.coordinate {
      contents.lead = EpochContents.Lead(type: sentence.type, talker: sentence.talker, position: position)
    }
    signature = sentence.signature(occurrence: contents.groupsUsed)
    guard learnsEnd else { return false }
    return ending.record(signature) && contents.hasNavigation
  }

  /// Takes the satellites, the date and the motion of a device that is not the chosen one.
  mutating func takeAside(_ sentence: inout Sentence) {
    satellites.add(&sentence)
    contents.applyAside(&sentence)
  }

  /// Takes the satellites and the date of a late sentence, whose epoch was already emitted.
  mutating func takeLate(_ sentence: inout Sentence) {
    lateSentences &+= 1
    satellites.add(&sentence)
    guard let date = sentence.date, let time = sentence.timeOfDay ?? sentence.clockTime else { return }
    calendar.learn(date, at: time, hasFix: hadFix)
  }
}
