import Clocks
import Estimation
package import GNSS
import Hardware
import NMEA
import ReceiverStream
import UBX

/// What the receiver is doing, as owners see it. Nothing here tells where it is.
package struct ReceiverCondition: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    /// Its supply is off until it is needed.
    case off
    /// It cannot be opened, or has gone.
    case absent
    /// It is there and has said nothing that makes sense yet.
    case starting
    /// It speaks, and has no fix.
    case acquiring
    /// It has a fix.
    case ready
  }

  package var state: State
  /// As in `2d`; nil without a fix.
  package var mode: FixMode?
  package var satellitesUsed: Int?
  package var hdop: Double?
  /// Why it is absent.
  package var cause: String?
  /// Its dates are 1024 weeks behind, or a multiple of that, and were moved (GPS week rollover).
  package var isDateCorrected = false
}

/// What the receiver has in view, and how well that determines its place: for owners alone, since directions to satellites
/// and the time tell roughly where it is.
struct ReceiverSky: Hashable, Sendable {
  /// One for each satellite and signal.
  var satellites: [Satellite] = []
  var dilutionOfPrecision = DilutionOfPrecision()
  /// Radius of the circle that holds 68 %, metres; nil without a fix.
  var horizontalAccuracy: Double?

  /// Of what is known to be used, dB-Hz; nil where nothing is, or nothing is heard.
  var meanSignalStrength: Double? {
    let strengths = satellites.filter { $0.isUsed == true }.compactMap(\.signalStrength)
    return strengths.isEmpty ? nil : Double(strengths.reduce(0, +)) / Double(strengths.count)
  }
}

/// What is not right with a receiver's date.
enum DateDoubt: Hashable {
  /// It was moved by a multiple of 1024 weeks.
  case rolledOver(taken: UTCDate)
  /// It is older than this program, and this machine's clock says that it is no rollover: it was left.
  case old(UTCDate)
}

/// From the receiver's bytes to the latest fix.
struct Reception {
  private let configuration: NMEAConfiguration
  /// Qualities of positions that are never served.
  private let unserved: [FixQuality]
  private var decoder: ReceiverDecoder
  /// What was counted by decoders before this one.
  private var before = ReceptionTotals()
  private var (epochs, fixes) = (0, 0)
  private(set) var condition = ReceiverCondition(state: .absent) {
    // What is not there, or has said nothing, has no satellites.
    didSet { if condition.state != .acquiring, condition.state != .ready { sky = ReceiverSky() } }
  }
  private(set) var sky = ReceiverSky()
  private(set) var latest: SealedFix?
  private var filter = PositionFilter()
  /// The day by this machine's clock, which may be false; nil where it is not known.
  var today: UTCDate?
  /// Epochs that are complete and have not been looked at.
  private var complete: [Epoch] = []
  /// When the last epoch began and ended; nil while there is none, or none for long.
  private var lastEpoch: (began: MonotonicInstant, ended: MonotonicInstant)?
  /// Whether what the receiver says beside its epochs is kept, too.
  var listens = false
  private var heard: [ReceiverMessage] = []
  private var doubt: DateDoubt?
  private var newDoubt: DateDoubt?

  /// - Parameters:
  ///   - isLive: the dates of a log or a simulation are as genuine as they are old.
  ///   - requiresChecksum: whether sentences count only with their checksum.
  ///   - servesUnmeasured: whether positions are served that the receiver estimated, was told or simulates.
  init(isLive: Bool, requiresChecksum: Bool = true, servesUnmeasured: Bool = false) {
    unserved = servesUnmeasured ? [.invalid] : [.invalid, .estimated, .manual, .simulator]
    var configuration = NMEAConfiguration()
    configuration.requiresChecksum = requiresChecksum
    if !isLive {
      configuration.rolloverFloor = nil
      configuration.mayBeUTF16 = true
    }
    self.configuration = configuration
    decoder = ReceiverDecoder(configuration: configuration)
  }

  mutating func opened() {
    before.add(decoder.statistics)
    decoder = ReceiverDecoder(configuration: configuration)
    filter = PositionFilter()
    condition = ReceiverCondition(state: .starting)
    heard = []
    doubt = nil
  }

  mutating func switchedOff() {
    forget()
    condition = ReceiverCondition(state: .off)
  }

  mutating func lost(cause: String) {
    forget()
    condition = ReceiverCondition(state: .absent, cause: cause)
  }

  /// What had begun to arrive comes to nothing, and nothing of it is waited for.
  private mutating func forget() {
    latest = nil
    lastEpoch = nil
    complete = []
    var unfinished = Output(listens: false)
    decoder.finish(to: &unfinished)
  }

  /// Takes bytes as they came. What they complete is served with `takeNext`.
  mutating func take(_ bytes: [UInt8], at arrived: MonotonicInstant) {
    var output = Output(listens: listens)
    decoder.consume(bytes.span, at: arrived, to: &output)
    take(output)
  }

  /// What the receiver said beside its epochs since the last time.
  mutating func takeHeard() -> [ReceiverMessage] {
    guard !heard.isEmpty else { return [] }
    defer { heard = [] }
    return heard
  }

  /// What has become wrong with the receiver's date since the last time: told once as long as it stays the same.
  mutating func takeDoubt() -> DateDoubt? {
    defer { newDoubt = nil }
    return newDoubt
  }

  /// Takes an epoch that somebody else has decoded.
  mutating func take(_ epoch: Epoch) {
    complete.append(epoch)
  }

  /// A receiver that says nothing for that long has fallen silent: the slowest report every five seconds.
  private static let silence: Duration = .seconds(6)

  /// Nothing came for a while: that may end an epoch, or mean that the receiver fell silent.
  mutating func idle(at now: MonotonicInstant) {
    if let lastEpoch, lastEpoch.ended + Self.silence <= now {
      latest = nil
      self.lastEpoch = nil
      condition = ReceiverCondition(state: .starting)
    }
    var output = Output(listens: listens)
    if let deadline = decoder.nextDeadline, deadline <= now { decoder.idle(at: now, to: &output) }
    take(output)
  }

  private mutating func take(_ output: Output) {
    heard += output.heard
    complete += output.epochs
  }

  var nextDeadline: MonotonicInstant? {
    guard let silent = lastEpoch.map({ $0.ended + Self.silence }) else { return decoder.nextDeadline }
    return decoder.nextDeadline.map { min($0, silent) } ?? silent
  }

  /// What came and what was thrown away, for people.
  var statistics: Statistics { decoder.statistics }

  /// The same since the start, however often the receiver came and went.
  var totals: ReceptionTotals {
    var totals = before
    totals.add(decoder.statistics)
    (totals.epochs, totals.fixes) = (epochs, fixes)
    return totals
  }

  /// Moves the epoch's date back where it was taken for a rollover of the GPS week and would then lie ahead of this
  /// machine's clock: it was none, somebody plays an old log to the port. What is doubtful is noted.
  private mutating func judgeDate(of epoch: inout Epoch) {
    guard let date = epoch.date else { return }
    guard epoch.isDateCorrected else {
      doubt = nil
      return
    }
    if let today, today >= NMEAConfiguration.compiledFloor,
      date.daysSince1970 > today.daysSince1970 + 1, let said = UTCDate(daysSince1970: date.daysSince1970 - 1024 * 7)
    {
      epoch.date = said
      epoch.isDateCorrected = false
      note(.old(said))
    } else {
      note(.rolledOver(taken: date))
    }
  }

  private mutating func note(_ found: DateDoubt) {
    switch (doubt, found) {
    case (.rolledOver, .rolledOver), (.old, .old): break
    case (nil, _), (.rolledOver, .old), (.old, .rolledOver): newDoubt = found
    }
    doubt = found
  }

  /// Goes on to the next epoch that is complete. A busy machine reads several at once: each of them is looked at, and
  /// served, before the next.
  /// - Returns: false where there is none.
  mutating func takeNext() -> Bool {
    guard !complete.isEmpty else { return false }
    var epoch = complete.removeFirst()
    // What came in one read began at one moment. It is told apart all the same: a fix is given once, by when it came.
    if let began = lastEpoch?.began { epoch.began = max(epoch.began, began + .nanoseconds(1)) }
    lastEpoch = (epoch.began, epoch.ended)
    judgeDate(of: &epoch)
    // What a receiver estimated, was told or simulates is no measurement, and not served unless its owner wants it:
    // then its quality says so. What is coasted says so, and is as old as the measurement that it rests on: the rules
    // of freshness look at that.
    let isServed = epoch.quality.map { !unserved.contains($0) } ?? true
    let fix = filter.update(epoch).flatMap { $0.isCoasted || isServed ? $0 : nil }
    latest = fix.map { SealedFix($0, satellites: epoch.satellites, began: epoch.began) }
    let hasFix = fix.map { !$0.isCoasted } ?? false
    sky = ReceiverSky(
      satellites: epoch.satellites, dilutionOfPrecision: epoch.dilutionOfPrecision,
      horizontalAccuracy: hasFix ? fix?.horizontalAccuracy : nil)
    epochs += 1
    if hasFix { fixes += 1 }
    condition = ReceiverCondition(
      state: hasFix ? .ready : .acquiring, mode: hasFix ? epoch.mode : nil, satellitesUsed: epoch.satellitesUsed,
      hdop: epoch.dilutionOfPrecision.horizontal, isDateCorrected: epoch.isDateCorrected)
    return true
  }
}

/// What came from the receiver since the start.
struct ReceptionTotals {
  var epochs = 0
  /// Of them, those with a fix that was not coasted.
  var fixes = 0
  var frames = 0
  /// By how it was damaged.
  var errors: [String: Int] = [:]

  mutating func add(_ statistics: Statistics) {
    frames +=
      statistics.sentences + statistics.ignoredSentences + statistics.ubxFrames + statistics.rtcm3Frames
    for cause in NMEAError.Cause.allCases where statistics.count(of: cause) > 0 {
      errors[cause.name, default: 0] += statistics.count(of: cause)
    }
  }
}

/// What the decoder hands over.
private struct Output: NMEAOutput {
  let listens: Bool
  var epochs: [Epoch] = []
  var heard: [ReceiverMessage] = []

  init(listens: Bool) { self.listens = listens }

  mutating func receive(_ epoch: Epoch) { epochs.append(epoch) }

  var wantsSentences: Bool { listens }

  /// u-blox receivers introduce themselves when they are started. (M8 R27 §31.2, TXT; M10 SPG 5.10 §2.8)
  mutating func receive(_ sentence: Sentence, from talker: Talker) {
    guard case .txt(let txt) = sentence, txt.text.contains("www.u-blox.com") else { return }
    heard.append(.started)
  }

  /// Answers: acknowledgements, and what configuration and version were asked for.
  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    guard listens, [0x05, 0x06, 0x0A].contains(frameClass) else { return }
    heard.append(.frame(UBXIdentifier(frameClass, id), payload.map { bytes[$0] }))
  }
}
