import Decoding

/// A schedule for the replay of a recording: groups of bytes, and the wait before each group.
///
/// A group contains all data of one time. The times come from the NMEA sentences RMC, GGA, GNS, GLL and ZDA. In a
/// recording without sentences, the times come from the GPS time of week in UBX messages. Data without a time belongs
/// to the previous group.
struct ReplaySchedule: Sendable {
  /// A group of bytes that the port sends together: all data of the recording with the same time.
  struct Group: Hashable, Sendable {
    /// The wait between the previous group of bytes and this group, at the original speed of the recording.
    var wait: Duration
    var bytes: [UInt8]
  }

  /// A time in the recording in milliseconds, either from NMEA sentences or from UBX messages.
  private enum Clock: Equatable {
    /// The time of day in an NMEA sentence, in milliseconds since midnight.
    case sentences(Int)
    /// The GPS time of week in a UBX message, in milliseconds since the beginning of the week.
    case week(Int)
  }

  /// The maximum wait between two groups of bytes (each group contains all data of one instant). A longer gap in the
  /// recording is shortened to this wait.
  static let longestWait = Duration.seconds(5)
  /// The maximum size of a group of bytes that are sent together. The schedule splits a larger group.
  static let groupCapacity = 8192
  /// The count of consecutive UBX messages after which the schedule takes its times from UBX messages, because no NMEA
  /// sentence has arrived.
  private static let maximumMessagesWithoutSentence = 100

  private var scanner = FrameScanner()
  private var clock: Clock?
  private var messagesSinceSentence = 0
  private var wait = Duration.zero
  private var pending: [UInt8] = []

  /// Reads the next bytes of the recording, and returns the completed groups. A group contains all data of one time.
  mutating func accept(_ chunk: some Sequence<UInt8>) -> [Group] {
    let bytes = Array(chunk)
    var groups: [Group] = []
    var position = 0
    var accepted = 0
    while let frame = scanner.next(in: bytes.span, from: &position) {
      append(bytes[accepted..<position], &groups)
      accepted = position
      let time =
        frame.isBuffered
        ? ReplaySchedule.time(of: frame, in: scanner.buffered) : ReplaySchedule.time(of: frame, in: bytes.span)
      examine(frame, time, upTo: frame.isBuffered ? scanner.buffered.count : position, &groups)
    }
    append(bytes[accepted...], &groups)
    return groups
  }

  /// Returns the remaining groups at the end of the recording. A group contains all data of one time. The last NMEA
  /// sentence may be truncated.
  mutating func finish() -> [Group] {
    var groups: [Group] = []
    while let frame = scanner.nextAtEnd() {
      let time = ReplaySchedule.time(of: frame, in: scanner.buffered)
      examine(frame, time, upTo: scanner.buffered.count, &groups)
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
      // The latest bytes may be the beginning of the next group, so these bytes stay in the buffer.
      if pending.count >= 2 * ReplaySchedule.groupCapacity { close(&groups, before: ReplaySchedule.groupCapacity) }
    }
  }

  /// Begins a new group if a frame (a sentence or a binary message) has a new time. `end` is the index after the last
  /// byte of the frame.
  private mutating func examine(_ frame: Frame, _ time: Clock?, upTo end: Int, _ groups: inout [Group]) {
    guard let time, counts(time), time != clock else { return }
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

  /// Returns whether the schedule uses a time. If the recording contains NMEA sentences, the schedule ignores the times
  /// of UBX messages.
  private mutating func counts(_ time: Clock) -> Bool {
    switch (time, clock) {
    case (.sentences, _):
      messagesSinceSentence = 0
      return true
    case (.week, .sentences):
      messagesSinceSentence += 1
      return messagesSinceSentence >= ReplaySchedule.maximumMessagesWithoutSentence
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

  /// Returns whether a UBX message begins with the GPS time of week: NAV-POSLLH, STATUS, DOP, SOL, PVT, VELNED,
  /// TIMEGPS, TIMEUTC, SVINFO, SAT or EOE.
  private static func isTimed(_ messageClass: UInt8, _ id: UInt8) -> Bool {
    messageClass == 0x01 && [0x02, 0x03, 0x04, 0x06, 0x07, 0x12, 0x20, 0x21, 0x30, 0x35, 0x61].contains(id)
  }

  /// Returns the wait between two times in the recording. The wait is zero if one time is from an NMEA sentence and the
  /// other time is from a UBX message.
  private static func wait(from earlier: Clock, to later: Clock) -> Duration {
    switch (earlier, later) {
    case (.sentences(let earlier), .sentences(let later)): wait(from: earlier, to: later, period: 86_400_000)
    case (.week(let earlier), .week(let later)): wait(from: earlier, to: later, period: 604_800_000)
    case (.sentences, .week), (.week, .sentences): .zero
    }
  }

  /// Returns the wait between two times of the same kind, whose values repeat after `period` milliseconds (a day or a
  /// week). The wait is zero if the time goes back, or goes forward by more than half a period.
  private static func wait(from earlier: Int, to later: Int, period: Int) -> Duration {
    let difference = (later - earlier + period) % period
    return (0...period / 2).contains(difference) ? min(.milliseconds(difference), longestWait) : .zero
  }

  /// Returns the time of an NMEA sentence in milliseconds since midnight; nil if the sentence contains no time.
  ///
  /// - Parameter body: the bytes between `$` and `*`.
  private static func time(ofBody body: [UInt8]) -> Int? {
    // The talker and the type together have five letters.
    let comma = UInt8(ascii: ",")
    let fields = body.split(separator: comma, maxSplits: 6, omittingEmptySubsequences: false)
    guard let address = fields.first, address.count == 5 else { return nil }
    switch String(decoding: address.suffix(3), as: UTF8.self) {
    case "RMC", "GGA", "GNS", "ZDA": return fields.count > 1 ? milliseconds(fields[1]) : nil
    case "GLL": return fields.count > 5 ? milliseconds(fields[5]) : nil
    default: return nil
    }
  }

  /// Parses a time of day (`hhmmss`, `hhmmss.` or `hhmmss.s…`) to milliseconds since midnight. Returns nil for any
  /// other text.
  private static func milliseconds(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.map { Int($0) - 48 }
    guard digits.count >= 6, digits[..<6].allSatisfy({ 0...9 ~= $0 }) else { return nil }
    let (hour, minute, second) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3], digits[4] * 10 + digits[5])
    guard hour < 24, minute < 60, second <= 60 else { return nil }
    var total = (hour * 3600 + minute * 60 + second) * 1000
    var weight = 100
    // Each element is a character code minus the code of `0`, so a dot is -2.
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
