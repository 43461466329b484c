package import Base
package import Decoding
package import GNSS

/// The processing from a receiver's bytes to fixes. The pipeline decodes the bytes, filters the positions, and tracks
/// the state of the receiver.
package struct ReceiverPipeline: Sendable {
  /// A fix, with further data from the same receiver epoch (all data of one instant).
  package struct Output: Sendable {
    package let fix: Fix
    /// The satellites that the receiver sees, used or not.
    package let satellites: [Satellite]
    /// The time at which the first byte of the fix's data arrived, or would have arrived if the program had read in
    /// time. If the fix is coasted (predicted), its position comes from earlier data.
    package let began: MonotonicInstant
    /// The state of the position filter, for the prediction of positions after the fix; nil if the receiver did not
    /// measure the position.
    package var state: FilterState?
  }

  /// Whether the receiver sends the data now; false for a recording or a simulation.
  private let isLive: Bool
  private let configuration: NMEAConfiguration
  /// The fix qualities that apps do not get, for example a position that the receiver estimated. For such a quality,
  /// `latest` is nil.
  private let unserved: [FixQuality]
  private var decoder: ReceiverDecoder
  /// The counts of frames and errors from earlier decoders. The pipeline creates a new decoder each time the receiver's
  /// port opens.
  private var former = ReceiverTotals()
  private var (epochs, fixes) = (0, 0)
  package private(set) var condition = ReceiverCondition(state: .absent) {
    didSet { if condition.state != .acquiring, condition.state != .ready { sky = ReceiverSky() } }
  }
  package private(set) var sky = ReceiverSky()
  /// The fix from the latest epoch (all data of one instant); nil if this epoch has no fix.
  package private(set) var latest: Output?
  /// The time that the receiver reported with its latest fix; nil if the latest data has no valid fix, or if the time
  /// is doubtful.
  package private(set) var time: ReceiverTime?
  /// The leap second that the receiver has announced, and the instant at which the leap second occurs; nil if the
  /// receiver has announced none.
  private var leapSecond: (change: LeapSecond, instant: MonotonicInstant)?
  private var readDelay = ReadDelay()
  private var filter = PositionFilter()
  private var watch = ReceiverWatch()
  /// The decoded epochs (an epoch is all data of one instant) that wait for a call of `advance`.
  private var complete: [Epoch] = []
  /// The arrival times of the first byte and of the last byte of the latest epoch (all data of one instant). The value
  /// is nil before the first epoch, and after the receiver stopped sending.
  private var lastEpoch: (began: MonotonicInstant, ended: MonotonicInstant)? { didSet { setDeadline() } }
  /// Whether the pipeline keeps the receiver's answers to commands. The caller takes the answers with `drainReplies`.
  private let keepsAnswers: Bool
  private var answers: [ReceiverMessage] = []
  private var dateDoubt: DateDoubt?
  private var notices: [ReceiverNotice] = []
  private var suspicion: SignalSuspicion?

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - isLive: whether the receiver sends the data now; false for recordings and simulations, whose dates may be old.
  ///   - requiresChecksum: whether the decoder ignores NMEA sentences without a checksum.
  ///   - servesUnmeasured: whether apps get positions that the receiver estimated, simulated or received as a setting.
  ///   - keepsAnswers: whether the pipeline keeps the receiver's answers to commands until a call of `drainReplies`.
  package init(isLive: Bool, requiresChecksum: Bool = true, servesUnmeasured: Bool = false, keepsAnswers: Bool = false)
  {
    unserved = servesUnmeasured ? [.invalid] : [.invalid, .estimated, .manual, .simulator]
    var configuration = NMEAConfiguration()
    configuration.requiresChecksum = requiresChecksum
    if !isLive {
      configuration.rolloverFloor = nil
      configuration.mayBeUTF16 = true
    }
    self.configuration = configuration
    self.isLive = isLive
    self.keepsAnswers = keepsAnswers
    decoder = ReceiverDecoder(configuration: configuration)
  }

  // MARK: The port

  /// Resets the decoder and the filter after the receiver's port has opened.
  package mutating func open() {
    former.add(decoder.statistics)
    decoder = ReceiverDecoder(configuration: configuration)
    setDeadline()
    readDelay = ReadDelay()
    filter = PositionFilter()
    watch.reset()
    suspicion = nil
    leapSecond = nil
    condition = ReceiverCondition(state: .starting)
    answers = []
    dateDoubt = nil
  }

  /// Changes the state to `off` after the power supply of the receiver was switched off, and discards the latest fix.
  package mutating func switchOff() {
    discard()
    condition = ReceiverCondition(state: .off)
  }

  /// Changes the state to `absent` after the receiver's port has failed, and discards the latest fix. `cause` is the
  /// reason that the owner sees.
  package mutating func lose(cause: String) {
    discard()
    condition = ReceiverCondition(state: .absent, cause: cause)
  }

  private mutating func discard() {
    latest = nil
    time = nil
    lastEpoch = nil
    complete = []
    var unfinished = Collector(keepsAnswers: false)
    decoder.finish(to: &unfinished)
    setDeadline()
  }

  // MARK: Input

  /// Decodes bytes of the receiver. The caller then calls `advance` for each completed epoch (all data of one instant).
  ///
  /// - Returns: whether there are completed epochs, messages for the owner's log, or answers of the receiver.
  @discardableResult
  package mutating func consume(_ bytes: [UInt8], at arrived: MonotonicInstant) -> Bool {
    var output = Collector(keepsAnswers: keepsAnswers)
    decoder.consume(bytes.span, at: arrived, to: &output)
    append(output, at: arrived)
    return !complete.isEmpty || !notices.isEmpty || !answers.isEmpty
  }

  /// Adds an epoch (all data of one instant) that another program, such as gpsd, has decoded.
  package mutating func consume(_ epoch: Epoch) { complete.append(epoch) }

  /// The time without data after which the receiver counts as silent. Even a slow receiver reports at least every five
  /// seconds.
  private static let silence: Duration = .seconds(6)

  /// Handles the passing of time until `now`. After a pause in the receiver's data, the pipeline completes the data of
  /// the latest instant, or changes the state because the receiver is silent.
  ///
  /// - Returns: whether the receiver became silent in this call.
  package mutating func pass(to now: MonotonicInstant) -> Bool {
    var isSilent = false
    if let lastEpoch, lastEpoch.ended + Self.silence <= now {
      latest = nil
      self.lastEpoch = nil
      condition = ReceiverCondition(state: .starting)
      isSilent = true
    }
    var output = Collector(keepsAnswers: keepsAnswers)
    if let deadline = decoder.nextDeadline, deadline <= now { decoder.idle(at: now, to: &output) }
    append(output, at: now)
    return isSilent
  }

  private mutating func append(_ output: Collector, at now: MonotonicInstant) {
    for verdicts in output.verdicts { watch.receive(verdicts, at: now) }
    if let event = output.leapSeconds.last?.next {
      leapSecond = (event.isInsertion ? .inserted : .deleted, now + .seconds(event.remaining))
    } else if !output.leapSeconds.isEmpty {
      leapSecond = nil
    }
    answers += output.answers
    complete += output.epochs
    setDeadline()
  }

  /// The instant at which the caller must call `pass`; nil if no deadline is pending.
  // The property is stored, because the getter of a computed property would copy the pipeline for each read.
  package private(set) var nextDeadline: MonotonicInstant?

  private mutating func setDeadline() {
    let silent = lastEpoch.map { $0.ended + Self.silence }
    let next = decoder.nextDeadline
    nextDeadline = if let silent, let next { min(silent, next) } else { silent ?? next }
  }

  // MARK: Output

  /// Processes the next completed epoch (all data of one instant), and sets `latest` to its fix. One read can contain
  /// several epochs, so the caller repeats the call until the result is false.
  ///
  /// - Parameter today: the date of this machine's clock, which may be wrong.
  /// - Returns: whether an epoch was processed; false if no completed epoch was left.
  package mutating func advance(today: UTCDate?) -> Bool {
    guard !complete.isEmpty else { return false }
    var epoch = complete.removeFirst()
    let arrived = epoch.began
    if isLive { epoch.began = arrived - readDelay.duration(of: Moment(epoch)) }
    // Epochs that arrived in one read can have equal times. The arrival time identifies a fix, so each epoch gets a
    // unique arrival time.
    if let began = lastEpoch?.began { epoch.began = max(epoch.began, began + .nanoseconds(1)) }
    lastEpoch = (epoch.began, epoch.ended)
    let hasDate = !epoch.isDateCorrected
    checkDate(of: &epoch, today: today)
    // A position that the receiver did not measure is served only if the owner allows it. A coasted (predicted) fix is
    // marked as coasted. The age of a coasted fix is the age of the latest measurement. The limits for the age of a fix
    // apply to this age.
    let isServed = epoch.quality.map { !unserved.contains($0) } ?? true
    var fix = filter.update(epoch).flatMap { $0.isCoasted || isServed ? $0 : nil }
    watch.receive(epoch)
    let signals = watch.signals(at: epoch.ended)
    note(signals)
    fix?.suspicion = signals.suspicion
    latest = fix.map { Output(fix: $0, satellites: epoch.satellites, began: epoch.began, state: filter.state) }
    let hasFix = fix.map { !$0.isCoasted } ?? false
    sky = ReceiverSky(
      satellites: epoch.satellites, dilutionOfPrecision: epoch.dilutionOfPrecision,
      horizontalAccuracy: hasFix ? fix?.horizontalAccuracy : nil)
    epochs += 1
    if hasFix { fixes += 1 }
    condition = ReceiverCondition(
      state: hasFix ? .ready : .acquiring, mode: hasFix ? epoch.mode : nil, satellitesUsed: epoch.satellitesUsed,
      hdop: epoch.dilutionOfPrecision.horizontal, isDateCorrected: epoch.isDateCorrected)
    condition.signals = signals
    condition.defects = watch.defects
    time = hasFix && hasDate && signals.suspicion == nil ? time(of: epoch, arrived: arrived) : nil
    return true
  }

  /// Returns the time that the receiver reported with a fix. Returns nil if the time is doubtful, or is a leap second:
  /// POSIX time has no number of its own for the second 23:59:60.
  private func time(of epoch: Epoch, arrived: MonotonicInstant) -> ReceiverTime? {
    guard let utc = epoch.time, utc.timeOfDay.second < 60, !epoch.isTimeUncertain,
      epoch.quality.map({ ![.invalid, .estimated, .manual, .simulator].contains($0) }) ?? true
    else { return nil }
    let announced = leapSecond.flatMap { leap in
      let remaining = leap.instant - epoch.began
      return remaining > .zero && remaining <= .seconds(86_400) ? leap.change : nil
    }
    return ReceiverTime(utc: utc, began: arrived, leapSecond: announced)
  }

  /// How many NMEA sentences of each type the receiver has sent since its port was opened.
  package var sentenceCounts: SentenceCounts { SentenceCounts(decoder.statistics) }

  /// Returns and removes the receiver's answers to commands.
  package mutating func drainReplies() -> [ReceiverMessage] {
    defer { answers = [] }
    return answers
  }

  /// Returns and removes the pending messages for the owner's log.
  package mutating func drainNotices() -> [ReceiverNotice] {
    defer { notices = [] }
    return notices
  }

  /// How many frames and decoding errors occurred since the receiver's port was opened.
  package var current: ReceiverTotals {
    var totals = ReceiverTotals()
    totals.add(decoder.statistics)
    return totals
  }

  /// The counts of frames, decoding errors, epochs (data sets of one instant), fixes and position jumps since the
  /// program started.
  package var totals: ReceiverTotals {
    var totals = former
    totals.add(decoder.statistics)
    (totals.epochs, totals.fixes, totals.jumps) = (epochs, fixes, watch.jumps)
    return totals
  }

  // MARK: Attacks

  /// Adds a message to the owner's log when an attack on the satellite signals (jamming or spoofing) is first
  /// suspected, and when the suspicion ends. The message contains no position.
  private mutating func note(_ signals: SignalState) {
    guard signals.suspicion != suspicion else { return }
    suspicion = signals.suspicion
    guard signals.suspicion != nil else {
      notices.append(ReceiverNotice(.notice, "the signals show no attack any more", [:]))
      return
    }
    notices.append(
      ReceiverNotice(
        .warning, "the satellite signals may be attacked, and the positions may be false",
        [
          "signs": signals.words.joined(separator: ","),
          "remedy": "compare the position with a map; move the antenna away from other transmitters",
        ]))
  }

  // MARK: The date

  /// Reverts a correction of the GPS week number if the corrected date is in the future of this machine's clock. In
  /// this case the week number has not rolled over, and the port plays an old recording.
  private mutating func checkDate(of epoch: inout Epoch, today: UTCDate?) {
    guard let date = epoch.date else { return }
    guard epoch.isDateCorrected else {
      dateDoubt = nil
      return
    }
    if let today, today >= NMEAConfiguration.compiledFloor,
      date.daysSince1970 > today.daysSince1970 + 1,
      let reported = UTCDate(daysSince1970: date.daysSince1970 - 1024 * 7)
    {
      epoch.date = reported
      epoch.isDateCorrected = false
      note(.old, reported)
    } else {
      note(.rolledOver, date)
    }
  }

  private enum DateDoubt {
    case rolledOver
    case old
  }

  /// Adds a message about a doubtful date to the owner's log, unless the latest such message had the same reason.
  private mutating func note(_ doubt: DateDoubt, _ date: UTCDate) {
    guard doubt != dateDoubt else { return }
    dateDoubt = doubt
    let notice =
      switch doubt {
      case .rolledOver:
        ReceiverNotice(
          .warning, "the receiver's date is too old: its GPS week has rolled over, and the date was corrected",
          [
            "corrected": Self.text(date),
            "remedy": "update the receiver's firmware; until then compare the date with another clock",
          ])
      case .old:
        ReceiverNotice(
          .warning,
          "the receiver's date is years old, and this machine's clock rules out a rollover of the GPS week; the date is "
            + "used as it is",
          [
            "received": Self.text(date),
            "remedy": "is a recording played to the port? use replay:FILE; else correct this machine's clock",
          ])
      }
    notices.append(notice)
  }

  /// Returns a date as text, for example `2026-11-21`.
  private static func text(_ date: UTCDate) -> String {
    TimeOfDay(hour: 0, minute: 0, second: 0).map { String(UTCTime(date: date, timeOfDay: $0).iso8601.prefix(10)) } ?? ""
  }
}

extension ReceiverTotals {
  fileprivate mutating func add(_ statistics: Statistics) {
    frames +=
      statistics.sentences + statistics.ignoredSentences + statistics.ubxFrames + statistics.rtcm3Frames
    for cause in NMEAError.Cause.allCases where statistics.count(of: cause) > 0 {
      errors[cause.name, default: 0] += statistics.count(of: cause)
    }
    for (fault, count) in statistics.fieldFaults {
      if fault.discardsSentence {
        rejectedFields[fault.name, default: 0] += count
      } else {
        unknownFields[fault.name, default: 0] += count
      }
    }
  }
}

extension NMEAError.Cause {
  /// The name of the error in reports to the owner, as one word.
  package var name: String {
    switch self {
    case .malformedAddress: "address"
    case .missingChecksum: "no-checksum"
    case .checksumMismatch: "checksum"
    case .malformedChecksum: "checksum-digits"
    case .interrupted: "interrupted"
    case .aborted: "binary-byte"
    case .overlong: "overlong"
    case .ubxChecksum: "ubx-checksum"
    case .rtcm3Checksum: "rtcm3-checksum"
    case .fieldCount: "field-count"
    case .invalidField: "field"
    }
  }
}
