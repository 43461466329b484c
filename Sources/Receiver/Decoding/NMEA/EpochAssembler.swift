import Base
import GNSS

/// A type that combines NMEA sentences into epochs. An epoch is all data of one instant that the receiver reports.
///
/// A sentence with a new time begins an epoch. An epoch ends when the next epoch begins, when the receiver pauses, or
/// after the sentence that usually is the last one (`EpochEnding`). A sentence with the time of an earlier epoch is
/// late.
struct EpochAssembler: Sendable {
  /// How an NMEA sentence relates to the current epoch (all data of one instant).
  enum Assignment {
    case joins
    /// The NMEA sentence ends the current epoch (all data of one instant) and begins a new epoch.
    case begins
    /// The NMEA sentence belongs to an epoch (all data of one instant) that has already ended, or repeats old data.
    case late
    /// The NMEA sentence comes from a second device, whose positions the decoder ignores.
    case aside
    /// The NMEA sentence does not belong to an instant, for example a sentence about the geodetic datum.
    case independent
  }

  private enum Phase {
    case open
    /// The receiver has paused, or has not yet sent an NMEA sentence.
    case silent
    /// The current epoch (all data of one instant) has ended with its usual last sentence. The receiver has not paused.
    case ended
  }

  /// The latest complete epoch (all data of one instant). A call of `close` writes the value.
  private(set) var epoch: Epoch
  private(set) var lateSentences = 0
  /// The uncertainty of the geodetic datum in metres, from the latest DTM sentence; nil if the receiver uses WGS 84.
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
  /// The time of the latest complete epoch (all data of one instant) in nanoseconds since midnight; -1 if unknown.
  private var closedTime: Int64 = -1
  /// The time in nanoseconds since midnight of the epoch (all data of one instant) before the latest epoch, if the
  /// latest epoch has an earlier time. Otherwise the value is -1.
  private var laterTime: Int64 = -1
  private var closedDate: UTCDate?
  /// The date in the sentences of the latest complete epoch (all data of one instant), without a correction; nil if
  /// unknown.
  private var closedOwnDate: UTCDate?
  /// Whether the sentence that begins the next epoch (all data of one instant) repeats the time of the current epoch.
  private var repeatsNext = false
  /// The arrival time of the first epoch (all data of one instant) with the current time. (Some devices repeat a time
  /// while their positions change.)
  private var timeBegan = MonotonicInstant(nanoseconds: 0)
  private var repeatsTime = false
  private var hadFix = false
  /// The time of the accuracy in `epoch` in nanoseconds since midnight; -1 without an accuracy. The accuracy can come
  /// from an earlier epoch (all data of one instant).
  private var accuracyTime: Int64 = -1

  init(_ configuration: NMEAConfiguration) {
    epoch = Epoch(began: MonotonicInstant(nanoseconds: 0), ended: MonotonicInstant(nanoseconds: 0))
    calendar = Calendar(floor: configuration.rolloverFloor)
    idleGap = configuration.idleGap
    learnsEnd = configuration.learnsEnd
  }

  /// Whether the current epoch (all data of one instant) contains a position or a time, and has not ended.
  var awaitsEnd: Bool { phase == .open && contents.hasNavigation }

  /// Whether the assembler has learned which NMEA sentence usually ends an epoch (all data of one instant).
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
      if Self.isSame(sentence.time, closedTime), !TimeSequence.isEarlier(contents.time, than: closedTime),
        !isOfAnotherDay(sentence.time)
      {
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

  /// Returns whether the current epoch (all data of one instant) began with a ZDA sentence of the given time, and has
  /// another date than the latest complete epoch. `time` is in nanoseconds since midnight.
  private func isOfAnotherDay(_ time: Int64) -> Bool {
    guard let date = contents.date, let closedOwnDate, let clock = contents.dateTime else { return false }
    return date != closedOwnDate && Self.isSame(time, clock.nanosecondsSinceMidnight)
  }

  /// Returns how an NMEA sentence from a second device, whose positions the decoder ignores, relates to the current
  /// epoch (all data of one instant). Such a sentence begins no epoch.
  private mutating func assignOther(_ sentence: inout Sentence) -> Assignment {
    switch sentence.type {
    case .gsa, .gsv, .zda: phase == .open ? .aside : .late
    default: phase == .open && (sentence.time < 0 || Self.isSame(sentence.time, contents.time)) ? .aside : .late
    }
  }

  /// Returns whether an NMEA sentence with a new time begins an epoch (all data of one instant). The result is false if
  /// a second device repeats the data of the first device late.
  ///
  /// - Parameters:
  ///   - time: the time of the sentence in nanoseconds since midnight.
  ///   - last: the time of the current or latest epoch.
  ///   - before: the time of the previous epoch.
  private mutating func begins(_ time: Int64, after last: Int64, _ before: Int64) -> Bool {
    if TimeSequence.isEarlier(last, than: before), Self.isSame(time, before) || TimeSequence.follows(time, before) {
      return isAfterCopy(time, before)
    }
    return !sequence.isCopy(time, after: last)
  }

  /// Handles an NMEA sentence after a late copy (the repetition of an earlier epoch by a second device). The function
  /// discards the copy, and returns whether the sentence begins an epoch (all data of one instant).
  private mutating func isAfterCopy(_ time: Int64, _ before: Int64) -> Bool {
    sequence.findCopy()
    if phase == .open {
      contents = EpochContents()
      phase = .ended
    }
    (closedTime, laterTime) = (before, -1)
    return !Self.isSame(time, before)
  }

  /// The minimum pause in the data after which the same time of day means the next day.
  private static let anotherDay = Duration.seconds(43_200)
  /// The minimum interval between two epochs (data sets of one instant) with the same time in live data. For a
  /// recording, there is no minimum.
  private static let shortestRepetition = Duration.milliseconds(100)

  /// Returns whether an NMEA sentence with the same time as the latest epoch (all data of one instant) begins a new
  /// epoch. The result is true if the date has changed, or if the device repeats times while its positions change.
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

  /// The maximum difference in nanoseconds between the receiver's clock and the time of a measurement of the same
  /// instant. A receiver on a slow serial port sends its clock up to two seconds after the measurement.
  private static let mostClockDifference: Int64 = 5_000_000_000

  private mutating func assignUntimed(_ sentence: inout Sentence) -> Assignment {
    let type = sentence.type
    let occursOnce = sentence.role.traits.contains(.once)
    let time = phase == .open ? contents.time : closedTime
    if sentence.clock >= 0, time >= 0, abs(dayDifference(time, sentence.clock)) > Self.mostClockDifference {
      return .begins
    }
    // Some receivers send a sentence type once for each of their talkers.
    switch phase {
    case .open: return occursOnce && contents.types.contains(type, from: sentence.talker) ? .begins : .joins
    case .silent: return .begins
    case .ended:
      if occursOnce, closedTypes.contains(type, from: sentence.talker) { return repeatsTime ? .late : .begins }
      if !repeatsTime { ending.endedTooEarly() }
      return .late
    }
  }

  /// Handles a late NMEA sentence. If the latest epoch (all data of one instant) ended too early, the assembler waits
  /// longer for the end of later epochs.
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

  /// Returns whether two times, in nanoseconds since midnight, differ by less than 5 ms and thus mean the same instant.
  /// NMEA sentences can write the same time with different counts of decimals.
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
    contents.write(to: &epoch, accuracyTime: &accuracyTime)
    epoch.datumUncertainty = datumUncertainty
    if let date = contents.date, let time = contents.dateTime {
      let hasFix = contents.dateHasFix ?? (contents.hasFix || hadFix)
      calendar.learn(date, at: time, hasFix: hasFix && !contents.isWithheld)
    }
    if contents.isRepetition { extrapolateTime() }
    epoch.date = epoch.timeOfDay.flatMap { calendar.date(at: $0) }
    epoch.addedDays = epoch.date == nil ? 0 : calendar.addedDays
    laterTime = TimeSequence.isEarlier(contents.time, than: closedTime) ? closedTime : -1
    epoch.startsSequence = isEarlier()
    (closedTime, closedDate, closedOwnDate) = (contents.time, epoch.date, contents.date)
    satellites.merge(into: &epoch.satellites)
    closedTypes = contents.types
    hadFix = epoch.coordinate != nil
  }

  /// Returns whether the time went back from the previous epoch (all data of one instant) to the latest one.
  private mutating func isEarlier() -> Bool {
    guard contents.time >= 0, closedTime >= 0 else { return false }
    if let date = epoch.date, let closedDate, date != closedDate { return date < closedDate }
    // Without dates, a step back by half a day or more means that midnight has passed.
    return closedTime > contents.time && closedTime - contents.time < 43_200_000_000_000
  }

  /// Corrects the time of an epoch (all data of one instant) from a device that repeats a time. The function adds the
  /// seconds since the first arrival of this time.
  private mutating func extrapolateTime() {
    (epoch.repeatsTime, epoch.isTimeUncertain) = (true, true)
    guard let time = epoch.timeOfDay else { return }
    let waited = max(0, contents.began.nanoseconds &- timeBegan.nanoseconds)
    epoch.timeOfDay = time.advanced(byNanoseconds: waited)
  }

  /// Records a pause in the receiver's data, so that an NMEA sentence without a time then begins a new epoch (all data
  /// of one instant).
  mutating func handleSilence() {
    guard phase == .ended else { return }
    ending.ended(with: signature)
    phase = .silent
  }

  // MARK: Contents

  /// Adds an NMEA sentence to the current epoch (all data of one instant). Returns whether the epoch is complete,
  /// because this sentence usually is the last one.
  mutating func take(_ sentence: inout Sentence, at instant: MonotonicInstant) -> Bool {
    satellites.add(&sentence)
    contents.apply(&sentence)
    contents.ended = instant
    contents.types.insert(sentence.role, from: sentence.talker)
    if contents.time < 0 { contents.time = sentence.time }
    if contents.lead == nil, let position = sentence.coordinate {
      contents.lead = EpochContents.Lead(type: sentence.type, talker: sentence.talker, position: position)
    }
    signature = sentence.signature(occurrence: contents.groupsUsed)
    guard learnsEnd else { return false }
    return ending.record(signature) && contents.hasNavigation
  }

  /// Adds the satellites, the date and the velocity from a second device, whose positions the decoder ignores.
  mutating func takeAside(_ sentence: inout Sentence) {
    satellites.add(&sentence)
    contents.applyAside(&sentence)
  }

  /// Adds the satellites and the date of a late NMEA sentence to the data for later epochs.
  mutating func takeLate(_ sentence: inout Sentence) {
    lateSentences &+= 1
    satellites.add(&sentence)
    guard let date = sentence.date, let time = sentence.timeOfDay ?? sentence.clockTime else { return }
    calendar.learn(date, at: time, hasFix: hadFix)
  }
}
