import Clocks
import GNSS

/// Puts sentences together to epochs: exactly one for each time that the receiver navigates at.
///
/// A time that differs begins an epoch; one that is repeated after its epoch was handed over is late or stale and
/// begins none. An epoch is over when the next begins, when the line is silent, or with the sentence that has ended the
/// epochs before it (`EpochEnding`).
struct EpochAssembler: Sendable {
  /// What a sentence is to the epoch at hand.
  enum Placement {
    case joins
    /// The epoch at hand, if any, is over; the sentence is the first of the next.
    case begins
    /// Its epoch was handed over already, or is repeated.
    case late
    /// It belongs to no epoch.
    case apart
  }

  private enum Phase {
    case open
    /// Closed since the line was silent, or nothing has come yet.
    case silent
    /// Closed by the sentence that usually ends an epoch.
    case ended
  }

  /// The epoch at hand; after `close`, the one to hand over.
  private(set) var epoch: Epoch
  private(set) var lateSentences = 0
  /// Of the datum that the last DTM named; nil as long as positions are on WGS 84.
  var datumUncertainty: Double?
  /// How long a silence ends an epoch.
  private(set) var idleGap: Duration

  private let learnsEnd: Bool
  private var phase = Phase.silent
  var contents = EpochContents()
  private var calendar: Calendar
  /// Whether the day was told since the last epoch.
  private var knowsDay = false
  private var satellites = SatelliteTable()
  private var ending = EpochEnding()
  private var signature: UInt64 = 0
  /// Types in the epoch that was handed over, and its time.
  private var closedTypes = SentenceSet()
  private var closedTime: Int64 = -1
  private var repeatsTime = false
  private var hadFix = false

  init(_ configuration: NMEAConfiguration) {
    epoch = Epoch(began: MonotonicInstant(nanoseconds: 0), ended: MonotonicInstant(nanoseconds: 0))
    calendar = Calendar(floor: configuration.rolloverFloor)
    idleGap = configuration.idleGap
    learnsEnd = configuration.learnsEnd
  }

  /// Whether an epoch is at hand that a silence would end.
  var awaitsEnd: Bool { phase == .open && contents.hasNavigation }

  /// Whether it is worth to wait longer, since the epoch's last sentence is known and will come.
  var knowsEnd: Bool { ending.isKnown && learnsEnd }

  // MARK: Placing

  @inline(__always)
  mutating func place(_ sentence: SentenceMarks) -> Placement {
    if sentence.isApart { return .apart }
    if sentence.time < 0 { return placeUntimed(sentence.type) }
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
  private mutating func placeUntimed(_ type: SentenceType) -> Placement {
    switch phase {
    case .open: return type.occursOnce && contents.types.contains(type) ? .begins : .joins
    case .silent: return .begins
    case .ended:
      if type.occursOnce, closedTypes.contains(type) { return repeatsTime ? .late : .begins }
      if !repeatsTime { ending.endedTooEarly() }
      return .late
    }
  }

  /// A sentence of the epoch that was handed over: more of it, or the whole of it again.
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

  /// Receivers write the time of one epoch with different precision.
  @inline(__always)
  private func isSame(_ time: Int64, _ other: Int64) -> Bool {
    other >= 0 && abs(time - other) < 5_000_000
  }

  // MARK: Beginning and closing

  /// Ten hours, in nanoseconds.
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

  /// The epoch at hand is over: completes it, so that it can be handed over.
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
      // Half a day back is midnight.
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

  /// The line is silent: what comes next is not late, unless its time says so.
  mutating func noteSilence() {
    guard phase == .ended else { return }
    ending.ended(with: signature)
    phase = .silent
  }

  // MARK: Contents

  /// Notes a sentence of the epoch whose contents have been taken. Whether the epoch is over with it.
  @inline(__always)
  mutating func note(_ marks: SentenceMarks, at instant: MonotonicInstant) -> Bool {
    contents.ended = instant
    contents.types.insert(marks.type)
    if marks.time >= 0, contents.time < 0 { contents.time = marks.time }
    signature = marks.signature(occurrence: contents.groupsUsed)
    guard learnsEnd else { return false }
    return ending.saw(signature) && contents.hasNavigation
  }

  /// A late sentence tells nothing of the epoch at hand.
  mutating func noteLate() {
    lateSentences &+= 1
  }

  // Inlined, so that the sentence is not copied for it.
  @inline(always)
  mutating func take(_ gsa: GSA, talker: Talker, isLate: Bool) {
    satellites.add(gsa, talker: talker)
    guard !isLate else { return }
    contents.groupsUsed += 1
    contents.take(gsa)
  }

  @inline(__always)
  mutating func take(_ gsv: GSV) {
    satellites.add(gsv)
  }

  /// A day, from a sentence that says whether there is a fix, or, with nil, does not.
  @inline(__always)
  mutating func learn(_ date: UTCDate?, at time: TimeOfDay?, hasFix: Bool?) {
    guard let date, let time else { return }
    calendar.learn(date, at: time, hasFix: hasFix ?? (hadFix || contents.hasFix))
    knowsDay = true
  }
}
