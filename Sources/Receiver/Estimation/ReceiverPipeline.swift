package import Base
package import Decoding
package import GNSS

/// A pipeline that converts a receiver's bytes to fixes. The pipeline decodes the bytes, filters the positions, and
/// tracks the state of the receiver.
package struct ReceiverPipeline: Sendable {
  /// A fix, with other data of the same instant from the receiver.
  package struct Output: Sendable {
    package let fix: Fix
    /// The satellites in view.
    package let satellites: [Satellite]
    /// The arrival time of the first byte of the fix's data, without delays of this program. For a coasted (predicted)
    /// fix, the position comes from earlier data.
    package let began: MonotonicInstant
    /// The filter state for the prediction of positions after the fix; nil if the receiver did not measure the
    /// position.
    package var state: FilterState?
  }

  /// The state that is reset when the receiver's port is opened, because another receiver may be there then.
  private struct SinceOpening {
    var decoder: ReceiverDecoder
    var filter = PositionFilter()
    var readDelay = ReadDelay()
    /// The leap second that the receiver has announced, and its instant; nil if the receiver has announced none.
    var leapSecond: (change: LeapSecond, instant: MonotonicInstant)?
    var answers: [ReceiverMessage] = []
    var dateDoubt: DateDoubt?
    var suspicion: SignalSuspicion?
  }

  /// Whether the receiver sends the data now; false for a recording or a simulation.
  private let isLive: Bool
  private let configuration: NMEAConfiguration
  /// The fix qualities that apps do not get, for example a position that the receiver only estimated.
  private let servesUnmeasured: Bool
  private var opened: SinceOpening
  /// The counts of frames and errors before the receiver's port was opened again.
  private var former = ReceiverTotals()
  private var (epochs, fixes) = (0, 0)
  package private(set) var condition = ReceiverCondition(state: .absent) {
    didSet { if condition.state != .acquiring, condition.state != .ready { sky = ReceiverSky() } }
  }
  package private(set) var sky = ReceiverSky()
  /// The fix from the latest epoch (all data of one instant); nil if this epoch has no fix.
  package private(set) var latest: Output?
  /// The time that the receiver reported with its latest fix; nil without a fix, or if the time is doubtful.
  package private(set) var time: ReceiverTime?
  private var watch = ReceiverWatch()
  /// The decoded epochs (all data of one instant) that `advance` has not processed yet.
  private var complete: [Epoch] = []
  /// The arrival times of the first and the last byte of the latest epoch (all data of one instant); nil before the
  /// first epoch, and after the receiver has stopped sending.
  private var lastEpoch: (began: MonotonicInstant, ended: MonotonicInstant)? { didSet { setDeadline() } }
  /// Whether the pipeline keeps the receiver's answers to commands. The caller takes the answers with `drainReplies`.
  private let keepsAnswers: Bool
  private var notices: [ReceiverNotice] = []

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - isLive: whether the receiver sends the data now; false for recordings and simulations, whose dates may be old.
  ///   - requiresChecksum: whether the decoder ignores NMEA sentences without a checksum.
  ///   - servesUnmeasured: whether apps get positions that the receiver estimated, simulated or received as a setting.
  ///   - keepsAnswers: whether the pipeline keeps the receiver's answers to commands until a call of `drainReplies`.
  package init(isLive: Bool, requiresChecksum: Bool = true, servesUnmeasured: Bool = false, keepsAnswers: Bool = false)
  {
    self.servesUnmeasured = servesUnmeasured
    var configuration = NMEAConfiguration()
    configuration.requiresChecksum = requiresChecksum
    if !isLive {
      configuration.rolloverFloor = nil
      configuration.mayBeUTF16 = true
    }
    self.configuration = configuration
    self.isLive = isLive
    self.keepsAnswers = keepsAnswers
    opened = SinceOpening(decoder: ReceiverDecoder(configuration: configuration))
  }

  // MARK: The port

  /// Discards the latest fix, and resets the decoder, the filter and the other state of `SinceOpening`. The caller calls
  /// this function after the receiver's port was opened, and after the machine was suspended.
  package mutating func open() {
    discard()
    former.add(opened.decoder.statistics)
    opened = SinceOpening(decoder: ReceiverDecoder(configuration: configuration))
    setDeadline()
    watch.reset()
    condition = ReceiverCondition(state: .starting)
  }

  /// Discards the latest fix, and changes the state to `off`. The power supply of the receiver was switched off.
  package mutating func switchOff() {
    discard()
    condition = ReceiverCondition(state: .off)
  }

  /// Discards the latest fix, and changes the state to `absent`, because the receiver's port has failed. `cause` is the
  /// reason in words for the owner of the gateway.
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
    opened.decoder.finish(to: &unfinished)
    setDeadline()
  }

  // MARK: Input

  /// Decodes bytes of the receiver. The caller then calls `advance` for each completed epoch (all data of one instant).
  ///
  /// - Returns: whether there are completed epochs, messages for the owner's log, or answers of the receiver.
  @discardableResult
  package mutating func consume(_ bytes: [UInt8], at arrived: MonotonicInstant) -> Bool {
    var output = Collector(keepsAnswers: keepsAnswers)
    opened.decoder.consume(bytes.span, at: arrived, to: &output)
    append(output, at: arrived)
    return !complete.isEmpty || !notices.isEmpty || !opened.answers.isEmpty
  }

  /// Adds an epoch (all data of one instant) to the input. Another program, such as gpsd, has decoded the epoch.
  package mutating func consume(_ epoch: Epoch) { complete.append(epoch) }

  /// The maximum time without data. After this time, the receiver counts as silent. Even a slow receiver sends a report
  /// at least every five seconds.
  private static let silence: Duration = .seconds(6)

  /// Tells the pipeline the present time. After a pause in the receiver's data, the pipeline completes the current
  /// epoch (all data of one instant). After a longer pause, the state of the receiver changes.
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
    if let deadline = opened.decoder.nextDeadline, deadline <= now { opened.decoder.idle(at: now, to: &output) }
    append(output, at: now)
    return isSilent
  }

  private mutating func append(_ output: Collector, at now: MonotonicInstant) {
    for verdicts in output.verdicts { watch.receive(verdicts, at: now) }
    if let event = output.leapSeconds.last?.next {
      opened.leapSecond = (event.isInsertion ? .inserted : .deleted, now + .seconds(event.remaining))
    } else if !output.leapSeconds.isEmpty {
      opened.leapSecond = nil
    }
    opened.answers += output.answers
    complete += output.epochs
    setDeadline()
  }

  /// The instant at which the caller must call `pass`; nil if the pipeline waits for no pause in the data.
  // The property is stored, because the getter of a computed property would copy the pipeline for each read.
  package private(set) var nextDeadline: MonotonicInstant?

  private mutating func setDeadline() {
    let silent = lastEpoch.map { $0.ended + Self.silence }
    let next = opened.decoder.nextDeadline
    nextDeadline = if let silent, let next { min(silent, next) } else { silent ?? next }
  }

  // MARK: Output

  /// Processes the next completed epoch (all data of one instant), and sets `latest` to its fix. The caller repeats the
  /// call until the result is false.
  ///
  /// - Parameter today: the date of this machine's clock, which may be wrong.
  /// - Returns: whether an epoch was processed; false if no completed epoch was left.
  package mutating func advance(today: UTCDate?) -> Bool {
    guard !complete.isEmpty else { return false }
    var epoch = complete.removeFirst()
    let arrived = epoch.began
    if isLive { epoch.began = arrived - opened.readDelay.duration(of: Moment(epoch)) }
    // Epochs that arrived in one read can have equal times. The arrival time identifies a fix, so each epoch gets a
    // unique arrival time.
    if let began = lastEpoch?.began { epoch.began = max(epoch.began, began + .nanoseconds(1)) }
    lastEpoch = (epoch.began, epoch.ended)
    let hasDate = !epoch.isDateCorrected
    checkDate(of: &epoch, today: today)
    // A position that the receiver did not measure is served only if the owner allows it. A coasted (predicted) fix is
    // marked as coasted. The age of a coasted fix is the age of the latest measurement. The limits for the age of a fix
    // apply to this age.
    let isServed = epoch.quality.map { $0.isMeasured || servesUnmeasured && $0 != .invalid } ?? true
    var fix = opened.filter.update(epoch).flatMap { $0.isCoasted || isServed ? $0 : nil }
    watch.receive(epoch)
    let signals = watch.signals(at: epoch.ended)
    note(signals)
    fix?.suspicion = signals.suspicion
    latest = fix.map { Output(fix: $0, satellites: epoch.satellites, began: epoch.began, state: opened.filter.state) }
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

  /// Returns the time that the receiver reported with a fix. Returns nil if the time is doubtful or a leap second,
  /// because POSIX time has no number for the second 23:59:60.
  private func time(of epoch: Epoch, arrived: MonotonicInstant) -> ReceiverTime? {
    guard let utc = epoch.time, utc.timeOfDay.second < 60, !epoch.isTimeUncertain,
      epoch.quality?.isMeasured ?? true
    else { return nil }
    let announced = opened.leapSecond.flatMap { leap in
      let remaining = leap.instant - epoch.began
      return remaining > .zero && remaining <= .seconds(86_400) ? leap.change : nil
    }
    return ReceiverTime(utc: utc, began: arrived, leapSecond: announced)
  }

  /// The counts of NMEA sentences by type, since the receiver's port was opened.
  package var sentenceCounts: SentenceCounts { SentenceCounts(opened.decoder.statistics) }

  /// Returns and removes the receiver's answers to commands.
  package mutating func drainReplies() -> [ReceiverMessage] {
    defer { opened.answers = [] }
    return opened.answers
  }

  /// Returns and removes the messages that wait for the owner's log.
  package mutating func drainNotices() -> [ReceiverNotice] {
    defer { notices = [] }
    return notices
  }

  /// The counts of frames and decoding errors since the receiver's port was opened.
  package var current: ReceiverTotals {
    var totals = ReceiverTotals()
    totals.add(opened.decoder.statistics)
    return totals
  }

  /// The counts since the program started: frames, decoding errors, epochs (data sets of one instant), fixes, and
  /// position jumps.
  package var totals: ReceiverTotals {
    var totals = former
    totals.add(opened.decoder.statistics)
    (totals.epochs, totals.fixes, totals.jumps) = (epochs, fixes, watch.jumps)
    return totals
  }

  // MARK: Attacks

  /// Writes a message to the owner's log when an attack on the satellite signals (jamming or spoofing) is first
  /// suspected, and when the suspicion ends. The message contains no position.
  private mutating func note(_ signals: SignalState) {
    guard signals.suspicion != opened.suspicion else { return }
    opened.suspicion = signals.suspicion
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
  /// this case, the receiver's data is an old recording.
  private mutating func checkDate(of epoch: inout Epoch, today: UTCDate?) {
    guard let date = epoch.date else { return }
    guard epoch.isDateCorrected else {
      opened.dateDoubt = nil
      return
    }
    if let today, today >= NMEAConfiguration.compiledFloor,
      date.daysSince1970 > today.daysSince1970 + 1,
      let reported = UTCDate(daysSince1970: date.daysSince1970 - epoch.addedDays)
    {
      epoch.date = reported
      epoch.addedDays = 0
      note(.old, reported)
    } else {
      note(.rolledOver, date)
    }
  }

  private enum DateDoubt {
    case rolledOver
    case old
  }

  /// Writes a message about a doubtful date to the owner's log, but no message twice in a row for the same reason.
  private mutating func note(_ doubt: DateDoubt, _ date: UTCDate) {
    guard doubt != opened.dateDoubt else { return }
    opened.dateDoubt = doubt
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

  /// Returns a date in ISO 8601 format, for example `2026-11-21`.
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
  /// The error as one word for reports to the owner of the gateway, for example `checksum`.
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
