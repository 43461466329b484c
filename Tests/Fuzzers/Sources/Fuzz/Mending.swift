import Decoding

func hexadecimal(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
}

/// Corrects the checksum of each sentence, UBX frame and RTCM 3 frame. A fuzzer rarely finds a correct checksum by itself, and
/// the decoders behind the checksum are the code to test.
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

/// Corrects a sentence, `$…*hh`, and returns the index behind it.
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

/// Corrects a UBX frame, `B5 62 class id length payload` and a checksum of two bytes, and returns the index behind it.
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

/// Corrects an RTCM 3 frame, `D3`, six zero bits, ten bits of length, payload and a checksum of three bytes, and returns the
/// index behind it.
private func mendRTCM3(_ bytes: inout [UInt8], at start: Int) -> Int {
  guard start + 6 <= bytes.count, bytes[start + 1] & 0xFC == 0 else { return start + 1 }
  let end = start + 3 + Int(bytes[start + 1]) << 8 + Int(bytes[start + 2])
  guard end + 3 <= bytes.count else { return start + 1 }
  let sum = crc24Q(bytes[start..<end])
  for index in 0..<3 { bytes[end + index] = UInt8(sum >> UInt32(16 - 8 * index) & 0xFF) }
  return end + 3
}
