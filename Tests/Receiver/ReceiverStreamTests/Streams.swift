import Base
import Decoding
import GNSS
import Sentences

/// A sentence with its checksum and line end.
func sentence(_ content: String) -> [UInt8] { Array(nmeaSentence(content).utf8) }

/// A number with at least two digits.
func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }

/// The sentences of second 12:00:`second`, whose latitude ends in 5 to distinguish them from NAV-PVT.
func sentences(_ second: Int) -> [UInt8] {
  let time = "1200\(two(second)).00"
  return sentence("GNRMC,\(time),A,4717.5000,N,00833.0000,E,1.0,90.0,211126,,,A")
    + sentence("GNGGA,\(time),4717.5000,N,00833.0000,E,1,08,1.0,400.0,M,47.0,M,,")
    + sentence("GPGSV,1,1,02,01,40,083,46,02,17,308,41")
    + sentence("GNGST,\(time),1.0,,,,1.5,1.2,3.0")
}

/// NAV-PVT of second 12:00:`second` and some nanoseconds, with flags about the validity of the time: 7 for a certain
/// time, 3 without the number of leap seconds, 0 without a time. The accuracy is in millimetres.
func solution(_ second: Int, fraction: Int32 = 0, valid: Int = 7, accuracy: UInt32 = 1500) -> [UInt8] {
  var payload = [UInt8](repeating: 0, count: 92)
  payload.put(UInt32(561_600_000 + second * 1000), 0)
  payload.put(UInt16(2026), 4)
  payload.replaceSubrange(6..<12, with: [11, 21, 12, 0, UInt8(second), UInt8(valid)])
  payload.replaceSubrange(20..<24, with: [3, 1, 0, 9])
  payload.put(fraction, 16)
  payload.put(Int32(85_500_000), 24)
  payload.put(Int32(473_000_000), 28)
  payload.put(accuracy, 40)
  payload.put(UInt32(3000), 44)
  return UBXFrame.encode(.navPVT, payload)
}

/// NAV-POSLLH and NAV-STATUS of second 12:00:`second`. They have no time in UTC.
func olderSolution(_ second: Int) -> [UInt8] {
  var (position, status) = ([UInt8](repeating: 0, count: 28), [UInt8](repeating: 0, count: 16))
  position.put(UInt32(561_600_000 + second * 1000), 0)
  position.put(Int32(85_500_000), 4)
  position.put(Int32(473_000_000), 8)
  status.put(UInt32(561_600_000 + second * 1000), 0)
  status.replaceSubrange(4..<6, with: [3, 1])
  return UBXFrame.encode(.navPOSLLH, position) + UBXFrame.encode(.navSTATUS, status)
}

extension [UInt8] {
  fileprivate mutating func put(_ value: some FixedWidthInteger, _ offset: Int) {
    for index in 0..<value.bitWidth / 8 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }
}

/// An RTCM 3 frame with a `$` in it.
let correction: [UInt8] = [0xD3, 0x00, 0x04, 0x24, 0x47, 0x4E, 0x52, 0xC2, 0xFB, 0xE5]

func at(_ milliseconds: some BinaryInteger) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: Int64(milliseconds) * 1_000_000)
}

/// Returns a short description of an epoch: its second, and the source of its position.
func short(_ epoch: Epoch) -> String {
  let second = epoch.time.map { time in
    "\(UTCTime(nanosecondsSince1970: time.nanosecondsSince1970 + 500_000_000).timeOfDay.second)"
  }
  let isBinary = epoch.coordinate?.latitude == 47.3
  return (second ?? "-") + (isBinary ? "u" : "n")
}
