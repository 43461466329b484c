/// The checksums of the binary protocols UBX and RTCM 3, which a receiver can mix with NMEA 0183 text.
package enum BinaryChecksum {
  /// Returns the two bytes of the 8-bit Fletcher checksum of a UBX frame. `range` contains class, id, length and
  /// payload. (u-blox interface descriptions, "UBX checksum"; RFC 1145)
  package static func fletcher(_ bytes: Span<UInt8>, in range: Range<Int>) -> (UInt8, UInt8) {
    var first: UInt8 = 0
    var second: UInt8 = 0
    for index in range {
      first &+= bytes[index]
      second &+= first
    }
    return (first, second)
  }

  /// Returns the CRC-24Q (polynomial 0x1864CFB) of an RTCM 3 frame. `range` contains preamble, length and payload.
  /// (RTCM 10403, "Transport layer")
  static func crc24Q(_ bytes: Span<UInt8>, in range: Range<Int>) -> UInt32 {
    var crc: UInt32 = 0
    for index in range {
      crc = (crc << 8 & 0xFF_FFFF) ^ table[Int(UInt8(truncatingIfNeeded: crc >> 16) ^ bytes[index])]
    }
    return crc
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    var crc = UInt32(byte) << 16
    for _ in 0..<8 {
      crc = crc & 0x80_0000 == 0 ? crc << 1 : (crc << 1) ^ 0x186_4CFB
    }
    return crc & 0xFF_FFFF
  }
}
