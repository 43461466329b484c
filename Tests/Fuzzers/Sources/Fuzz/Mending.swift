import Framing

func hexadecimal(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
}

/// Makes the checksums of everything right that is framed like a sentence, a UBX frame or one of RTCM 3: a fuzzer would look long for
/// them, and what is behind them is what it is for.
func mend(_ bytes: inout [UInt8]) {
  var index = 0
  while index < bytes.count {
    switch bytes[index] {
    case 0x24: index = mendSentence(&bytes, at: index)
    case 0xB5: index = mendUBX(&bytes, at: index)
    case 0xD3: index = mendRTCM3(&bytes, at: index)
    default: index += 1
    }
  }
}

/// `$…*hh`: the two bytes behind the asterisk.
private func mendSentence(_ bytes: inout [UInt8], at start: Int) -> Int {
  var sum: UInt8 = 0
  var index = start + 1
  while index < bytes.count, bytes[index] >= 0x20, bytes[index] < 0x7F, bytes[index] != 0x24, bytes[index] != 0x2A {
    sum ^= bytes[index]
    index += 1
  }
  guard index + 2 < bytes.count, bytes[index] == 0x2A else { return index }
  bytes.replaceSubrange(index + 1...index + 2, with: hexadecimal(sum).utf8)
  return index + 3
}

/// `B5 62 class id length payload` and a checksum of two bytes.
private func mendUBX(_ bytes: inout [UInt8], at start: Int) -> Int {
  guard start + 8 <= bytes.count, bytes[start + 1] == 0x62 else { return start + 1 }
  let end = start + 6 + Int(bytes[start + 4]) + Int(bytes[start + 5]) << 8
  guard end + 2 <= bytes.count else { return start + 1 }
  var (first, second): (UInt8, UInt8) = (0, 0)
  for byte in bytes[start + 2..<end] {
    first &+= byte
    second &+= first
  }
  bytes[end] = first
  bytes[end + 1] = second
  return end + 2
}

/// `D3`, six zero bits, ten of the length, payload, and a checksum of three bytes.
private func mendRTCM3(_ bytes: inout [UInt8], at start: Int) -> Int {
  guard start + 6 <= bytes.count, bytes[start + 1] & 0xFC == 0 else { return start + 1 }
  let end = start + 3 + Int(bytes[start + 1]) << 8 + Int(bytes[start + 2])
  guard end + 3 <= bytes.count else { return start + 1 }
  let sum = crc24Q(bytes[start..<end])
  for index in 0..<3 { bytes[end + index] = UInt8(sum >> UInt32(16 - 8 * index) & 0xFF) }
  return end + 3
}
