import Clocks
package import Encoding

/// A slot as it survives a restart of the daemon or of the machine.
package struct SavedSlot: Hashable, Sendable {
  /// The identifier of the boot in which the slot was saved; empty if it is unknown.
  var boot = ""
  /// The end of the slot according to the monotonic clock of this boot.
  var end = MonotonicInstant(nanoseconds: 0)
  /// The time from the save to the end, at most 15 minutes.
  var rest = Duration.zero
  /// Whether the slot has an answer.
  var isAnswered = false
  /// Whether the slot began in an earlier boot.
  var isFormer = false

  /// The slot of an encoding that does not contain it: a slot with an answer, of which no time has passed.
  package static let unknown = SavedSlot(rest: .nanoseconds(Slot.length), isAnswered: true)

  /// The slot as bytes: the boot as its length (1) and UTF-8, the end (8) and the rest (8) in nanoseconds, and the sum
  /// of 1 for an answer and 2 for an earlier boot (1).
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(boot.utf8, countedBy: UInt8.self)
    bytes.appendBigEndian(end.nanoseconds)
    bytes.appendBigEndian(rest.clampedNanoseconds)
    bytes.append((isAnswered ? 1 : 0) + (isFormer ? 2 : 0))
    return bytes
  }
}

extension SavedSlot {
  /// Reads an encoded slot. Returns nil if the bytes are invalid.
  package init?(_ reader: inout BigEndianReader) {
    guard let boot = reader.text(countedBy: UInt8.self), let end: Int64 = reader.number(),
      let rest: Int64 = reader.number(), (0...Slot.length).contains(rest), let flags: UInt8 = reader.number(), flags < 4
    else { return nil }
    self.init(
      boot: boot, end: MonotonicInstant(nanoseconds: end), rest: .nanoseconds(rest), isAnswered: flags & 1 != 0,
      isFormer: flags & 2 != 0)
  }
}
