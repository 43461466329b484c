import Base
import Decoding

/// A time sample for chrony (a program that sets the clock): a reading of the wall clock, and its error.
struct TimeSample: Hashable {
  /// The reading of the wall clock, in microseconds since 1970.
  let clock: Int64
  /// The error of the wall clock: the true time minus the reading, in seconds.
  let offset: Double
  let leapSecond: LeapSecond?

  /// Creates a sample from two times of the same instant.
  /// - Parameters:
  ///   - clock: The reading of the wall clock, which is rounded down to microseconds.
  ///   - utc: The true time.
  ///   - leapSecond: The announced leap second; nil if there is none.
  init(clock: UTCTime, utc: UTCTime, leapSecond: LeapSecond?) {
    let nanoseconds = clock.nanosecondsSince1970
    self.clock = nanoseconds / 1000
    offset = (.nanoseconds(utc.nanosecondsSince1970) - .microseconds(self.clock)) / Duration.seconds(1)
    self.leapSecond = leapSecond
  }

  /// The sample as the C structure `sock_sample` of chrony's driver SOCK, on a 64-bit little-endian machine (chrony,
  /// refclock_sock.c).
  ///
  /// The datagram has the seconds and the microseconds of `clock` (64 bits each) and `offset` (64-bit floating point).
  /// Four 32-bit numbers follow: the pulse flag, the leap second (1 inserted, 2 deleted), padding, and a magic number.
  var datagram: [UInt8] {
    let leap: Int32 =
      switch leapSecond {
      case nil: 0
      case .inserted: 1
      case .deleted: 2
      }
    var bytes: [UInt8] = []
    func append(_ value: some FixedWidthInteger) {
      let value = value.littleEndian
      for shift in stride(from: 0, to: value.bitWidth, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    append(clock / 1_000_000)
    append(clock % 1_000_000)
    append(offset.bitPattern)
    for number in [0, leap, 0, 0x534F_434B] { append(number) }
    return bytes
  }
}
