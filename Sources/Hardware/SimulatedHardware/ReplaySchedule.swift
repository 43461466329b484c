import Framing

/// When the pieces of a log are to be sent: the pure part of `ReplayPort`.
///
/// The times stand in RMC, GGA, GNS, GLL and ZDA, or, where there are no sentences, in the GPS time of week with which
/// u-blox's navigation messages begin. What is said of one time belongs together; what has no time goes with what was
/// before it. A value that takes the log in chunks of any size and holds no more than a group and a frame.
struct ReplaySchedule: Sendable {
  /// Bytes that are sent together.
  struct Group: Hashable, Sendable {
    /// After the group before, at the log's own speed.
    var wait: Duration
    var bytes: [UInt8]
  }

  /// Whose time a log is read by, milliseconds.
  private enum Clock: Equatable {
    /// Since midnight.
    case sentences(Int)
    /// Since the week began.
    case week(Int)
  }

  /// Longer gaps of the log are cut to this: nobody waits for a tunnel.
  static let longestWait = Duration.seconds(5)
  /// A group that becomes larger is sent in pieces.
  static let groupCapacity = 8192
  /// After so many u-blox messages without a sentence there are no sentences any more.
  private static let patience = 100

  private var scanner = FrameScanner()
  private var clock: Clock?
  private var messagesSinceSentence = 0
  private var wait = Duration.zero
  private var pending: [UInt8] = []

  /// Takes the next bytes of the log and gives the groups that are complete with them.
  mutating func take(_ chunk: some Sequence<UInt8>) -> [Group] {
    let bytes = Array(chunk)
    var groups: [Group] = []
    var position = 0
    var taken = 0
    while let frame = scanner.next(in: bytes.span, from: &position) {
      append(bytes[taken..<position], &groups)
      taken = position
      let time =
        frame.isBuffered
        ? ReplaySchedule.time(of: frame, in: scanner.buffered) : ReplaySchedule.time(of: frame, in: bytes.span)
      note(frame, time, behind: frame.isBuffered ? scanner.buffered.count : position, &groups)
    }
    append(bytes[taken...], &groups)
    return groups
  }

  /// What is left when the log has ended; its last line may be cut short.
  mutating func finish() -> [Group] {
    var groups: [Group] = []
    while let frame = scanner.nextAtEnd() {
      let time = ReplaySchedule.time(of: frame, in: scanner.buffered)
      note(frame, time, behind: scanner.buffered.count, &groups)
    }
    close(&groups, before: pending.count)
    return groups
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>, _ groups: inout [Group]) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(ReplaySchedule.groupCapacity)
      pending += piece
      rest = rest.dropFirst(piece.count)
      // The last bytes may be the beginning of a frame of the next group: they are kept, as long as it is no longer.
      if pending.count >= 2 * ReplaySchedule.groupCapacity { close(&groups, before: ReplaySchedule.groupCapacity) }
    }
  }

  /// A frame begins another group where its time is another.
  /// - Parameter end: where the bytes that were taken end, counted as the frame's content is.
  private mutating func note(_ frame: Frame, _ time: Clock?, behind end: Int, _ groups: inout [Group]) {
    guard let time, isHeeded(time), time != clock else { return }
    let header =
      switch frame.kind {
      case .ubx: 6
      case .sentence, .rtcm3, .rejected: 1
      }
    let start = frame.content.lowerBound - header
    close(&groups, before: max(0, pending.count - (end - start)))
    if let clock { wait = ReplaySchedule.wait(from: clock, to: time) }
    clock = time
  }

  private mutating func close(_ groups: inout [Group], before end: Int) {
    guard end > 0 else { return }
    groups.append(Group(wait: wait, bytes: Array(pending[..<end])))
    wait = .zero
    pending.removeFirst(end)
  }

  /// As long as sentences come, theirs is the time.
  private mutating func isHeeded(_ time: Clock) -> Bool {
    switch (time, clock) {
    case (.sentences, _):
      messagesSinceSentence = 0
      return true
    case (.week, .sentences):
      messagesSinceSentence += 1
      return messagesSinceSentence >= ReplaySchedule.patience
    case (.week, _): return true
    }
  }

  private static func time(of frame: Frame, in bytes: Span<UInt8>) -> Clock? {
    switch frame.kind {
    case .sentence(let computed, let received) where received == nil || received == computed:
      return time(ofBody: frame.content.map { bytes[$0] }).map { .sentences($0) }
    case .ubx(let messageClass, let id) where isTimed(messageClass, id) && frame.content.count >= 4:
      let start = frame.content.lowerBound
      return .week((0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) })
    case .sentence, .ubx, .rtcm3, .rejected: return nil
    }
  }

  /// NAV-POSLLH, STATUS, DOP, SOL, PVT, VELNED, TIMEGPS, TIMEUTC, SVINFO, SAT and EOE begin with the time of week.
  private static func isTimed(_ messageClass: UInt8, _ id: UInt8) -> Bool {
    messageClass == 0x01 && [0x02, 0x03, 0x04, 0x06, 0x07, 0x12, 0x20, 0x21, 0x30, 0x35, 0x61].contains(id)
  }

  /// From one clock to the other nothing is known of the time between.
  private static func wait(from earlier: Clock, to later: Clock) -> Duration {
    switch (earlier, later) {
    case (.sentences(let earlier), .sentences(let later)): wait(from: earlier, to: later, period: 86_400_000)
    case (.week(let earlier), .week(let later)): wait(from: earlier, to: later, period: 604_800_000)
    case (.sentences, .week), (.week, .sentences): .zero
    }
  }

  /// Forward over midnight or the end of a week, up to half of the period; anything else has gone back, and is not
  /// waited for.
  private static func wait(from earlier: Int, to later: Int, period: Int) -> Duration {
    let difference = (later - earlier + period) % period
    return (0...period / 2).contains(difference) ? min(.milliseconds(difference), longestWait) : .zero
  }

  /// Milliseconds since midnight that a sentence says, of which this is what stands between `$` and `*`; nil where it
  /// says none.
  private static func time(ofBody body: [UInt8]) -> Int? {
    // Talker and formatter make five letters.
    let comma = UInt8(ascii: ",")
    let fields = body.split(separator: comma, maxSplits: 6, omittingEmptySubsequences: false)
    guard let address = fields.first, address.count == 5 else { return nil }
    switch String(decoding: address.suffix(3), as: UTF8.self) {
    case "RMC", "GGA", "GNS", "ZDA": return fields.count > 1 ? milliseconds(fields[1]) : nil
    case "GLL": return fields.count > 5 ? milliseconds(fields[5]) : nil
    default: return nil
    }
  }

  /// `hhmmss`, `hhmmss.` or `hhmmss.s…`
  private static func milliseconds(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.map { Int($0) - 48 }
    guard digits.count >= 6, digits[..<6].allSatisfy({ 0...9 ~= $0 }) else { return nil }
    let (hour, minute, second) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3], digits[4] * 10 + digits[5])
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    var total = (hour * 3600 + minute * 60 + second) * 1000
    var weight = 100
    // After the point, which is two below the digits.
    if digits.count > 6 {
      guard digits[6] == -2 else { return nil }
      for digit in digits[7...].prefix(3) {
        guard 0...9 ~= digit else { return nil }
        total += digit * weight
        weight /= 10
      }
    }
    return total
  }
}
