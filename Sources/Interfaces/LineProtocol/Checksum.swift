/// The checksum of a protocol line: CRC-16 with the polynomial 0x1021, the initial value 0xFFFF, no reflection and no
/// final XOR. The catalogues of CRC algorithms name the algorithm CRC-16/IBM-3740, also CRC-16/CCITT-FALSE.
public enum Checksum {
  /// The length in bytes of a checksum as text at the end of a protocol line: an asterisk and four hexadecimal digits.
  public static let length = 5

  /// Returns the CRC-16 of the bytes as a number.
  public static func crc16(_ bytes: Span<UInt8>) -> UInt16 {
    var crc: UInt16 = 0xFFFF
    for index in bytes.indices { crc = crc &<< 8 ^ table[Int(crc &>> 8 ^ UInt16(bytes[index]))] }
    return crc
  }

  /// Returns a checksum as text for the end of a protocol line: an asterisk and four hexadecimal digits, in ASCII.
  public static func ending(_ crc: UInt16) -> [UInt8] {
    [UInt8(ascii: "*")] + stride(from: 12, through: 0, by: -4).map { digits[Int(crc >> $0 & 0xF)] }
  }

  /// Verifies the checksum at the end of a protocol line. Returns the count of bytes before the checksum; nil if the
  /// checksum is missing or wrong.
  public static func verified(_ line: Span<UInt8>) -> Int? {
    guard let (count, crc) = split(line), crc16(line.extracting(0..<count)) == crc else { return nil }
    return count
  }

  /// Whether a protocol line ends with a checksum, right or wrong.
  public static func isPresent(_ line: Span<UInt8>) -> Bool { split(line) != nil }

  private static func split(_ line: Span<UInt8>) -> (count: Int, crc: UInt16)? {
    let count = line.count - length
    guard count >= 0, line[count] == UInt8(ascii: "*") else { return nil }
    var crc: UInt16 = 0
    for index in count + 1..<line.count {
      guard let digit = digit(line[index]) else { return nil }
      crc = crc << 4 | UInt16(digit)
    }
    return (count, crc)
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { crc, _ in crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
  }
}
