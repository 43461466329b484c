import Base
import Decoding

/// A sample for a reference clock of chrony: a time of this machine's clock, and the error of the clock at this time.
struct TimeSample: Hashable {
  /// The time of this machine's clock, in whole microseconds since 1970.
  let clock: Int64
  /// The true time minus the time of this machine's clock, in seconds.
  let offset: Double
  let leapSecond: LeapSecond?

  /// - Parameters:
  ///   - clock: The time of this machine's clock at an instant. chrony reads it in whole microseconds.
  ///   - utc: The true time at the same instant.
  init(clock: UTCTime, utc: UTCTime, leapSecond: LeapSecond?) {
    let nanoseconds = clock.nanosecondsSince1970
    self.clock = nanoseconds / 1000
    offset = (.nanoseconds(utc.nanosecondsSince1970) - .microseconds(self.clock)) / Duration.seconds(1)
    self.leapSecond = leapSecond
  }

  /// The datagram: the structure `sock_sample` of chrony's driver SOCK on little-endian machines with 64 bits. It
  /// contains the seconds and the microseconds of `clock` (64 bits each), `offset` (64-bit floating point), and four
  /// 32-bit numbers: whether the sample is a pulse, the leap second (1 inserted, 2 deleted), padding, and a magic
  /// number. (chrony, refclock_sock.c)
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
