package import Base

/// A slot (a period in which the answer to an app stays the same), saved for a restart of the daemon or of the machine.
package struct SavedSlot: Hashable, Sendable {
  /// The identifier of the boot of the machine in which the slot was saved; empty if the identifier is unknown.
  var boot = ""
  /// The end of the slot by the monotonic clock of the boot in which the slot was saved.
  var end = MonotonicInstant(nanoseconds: 0)
  /// The time that was left until the end of the slot when the slot was saved, at most 15 minutes.
  var rest = Duration.zero
  /// Whether an app may have received an answer in the slot.
  var isAnswered = false
  /// Whether the slot had already begun before the boot in which it was saved.
  var isFormer = false

  /// The slot to assume if the saved data are from an earlier version, which saved no slots. This slot has an answer,
  /// and all its 15 minutes are left.
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
