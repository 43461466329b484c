package import Base

/// A slot (a period in which the answer to an app stays the same) that was saved for a restart of the daemon or of the
/// machine.
package struct SavedSlot: Hashable, Sendable {
  /// The identifier of the boot of the machine in which the slot was saved; empty if the identifier is unknown.
  var boot = ""
  /// The end of the slot by the monotonic clock. The value is valid only in the boot `boot`.
  var end = MonotonicInstant(nanoseconds: 0)
  /// The time from the save until the end of the slot, at most 15 minutes.
  var rest = Duration.zero
  /// Whether an app may have received an answer in the slot.
  var isAnswered = false
  /// Whether the slot began in an earlier boot than `boot`.
  var isFormer = false

  /// A slot with an answer and 15 remaining minutes. This value replaces the slot that data of an earlier version do
  /// not contain.
  package static let unknown = SavedSlot(rest: .nanoseconds(Slot.length), isAnswered: true)

  /// The slot as bytes: the identifier of the boot as its length (1 byte) and UTF-8, `end` and `rest` in nanoseconds (8
  /// bytes each), and one byte of flags. The flag 1 is `isAnswered`, the flag 2 is `isFormer`.
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
  package init?(_ reader: inout BigEndianReader) {
    guard let boot = reader.text(countedBy: UInt8.self), let end: Int64 = reader.number(),
      let rest: Int64 = reader.number(), (0...Slot.length).contains(rest), let flags: UInt8 = reader.number(), flags < 4
    else { return nil }
    self.init(
      boot: boot, end: MonotonicInstant(nanoseconds: end), rest: .nanoseconds(rest), isAnswered: flags & 1 != 0,
      isFormer: flags & 2 != 0)
  }
}
