import Glibc

/// A generated log, the same in every run: a receiver of four systems at 10 Hz with the sentence shares of real logs
/// (GSV 38 %, GSA 18 %, GGA 12 %, RMC 12 %, VTG 8 %, GLL 7 %, ZDA 4 %, GST 1 %).
struct Log {
  private(set) var bytes: [UInt8] = []
  private(set) var sentences = 0
  private(set) var epochs = 0
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(epochs: Int) {
    for number in 0..<epochs { append(epoch: number) }
    self.epochs = epochs
  }

  /// Appends the log to a file until the file has this number of bytes.
  static func write(bytes: Int, to descriptor: Int32) -> Bool {
    var log = Log(epochs: 0)
    var written = 0
    while written < bytes {
      log.append(epoch: log.epochs)
      log.epochs += 1
      guard log.bytes.count >= 1 << 20 || written + log.bytes.count >= bytes else { continue }
      guard log.bytes.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == log.bytes.count else {
        return false
      }
      written += log.bytes.count
      log.bytes.removeAll(keepingCapacity: true)
    }
    return true
  }

  private mutating func random(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  private static func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private mutating func append(_ content: String) {
    let sum = content.utf8.reduce(0, ^)
    bytes.append(0x24)
    bytes.append(contentsOf: content.utf8)
    bytes.append(contentsOf: "*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n".utf8)
    sentences += 1
  }

  private mutating func append(epoch: Int) {
    let tenths = epoch % 864_000
    let seconds = tenths / 10
    let time =
      "\(Log.padded(seconds / 3600, 2))\(Log.padded(seconds / 60 % 60, 2))\(Log.padded(seconds % 60, 2)).\(tenths % 10)0"
    let latitude = "\(48 + epoch / 600_000)\(Log.padded(random(60), 2)).\(Log.padded(random(100_000), 5))"
    let longitude = "011\(Log.padded(random(60), 2)).\(Log.padded(random(100_000), 5))"
    let position = "\(latitude),N,\(longitude),E"
    let speed = "\(random(60)).\(Log.padded(random(1000), 3))"
    let course = random(4) == 0 ? "" : "\(random(360)).\(Log.padded(random(100), 2))"
    append("GNRMC,\(time),A,\(position),\(speed),\(course),211126,,,A,V")
    if epoch % 3 != 0 {
      append("GNVTG,\(course),T,,M,\(speed),N,\(random(100)).\(Log.padded(random(1000), 3)),K,A")
    }
    append(
      "GNGGA,\(time),\(position),1,\(8 + random(5)),0.\(70 + random(30)),\(400 + random(90)).\(random(10)),M,46.9,M,,")
    // Systems with satellites, with all signals or one, alternate to match the shares.
    for system in epoch % 2 == 0 ? [1, 2] : [1] { append(gsa: system) }
    for (talker, count) in [("GP", 9 + random(4)), ("GL", epoch % 5 == 0 ? 0 : 3)] where count > 0 {
      append(group: talker, count: count)
    }
    if epoch % 5 < 3 { append("GNGLL,\(position),\(time),A,A") }
    if epoch % 3 == 0 { append("GNZDA,\(time),21,11,2026,00,00") }
    if epoch % 12 == 0 { append("GNGST,\(time),12,,,,1.\(random(10)),1.\(random(10)),2.\(random(10))") }
  }

  private mutating func append(gsa system: Int) {
    var slots = (0..<12).map { _ in random(3) == 0 ? "" : Log.padded(1 + random(32), 2) }
    slots.sort { $0 > $1 }
    append(
      "GNGSA,A,3,\(slots.joined(separator: ",")),1.\(10 + random(89)),0.\(70 + random(29)),1.\(10 + random(89)),\(system)"
    )
  }

  private mutating func append(group talker: String, count: Int) {
    let parts = (count + 3) / 4
    for part in 1...parts {
      var text = "\(talker)GSV,\(parts),\(part),\(Log.padded(count, 2))"
      for number in (part - 1) * 4..<min(count, part * 4) {
        let strength = random(4) == 0 ? "" : Log.padded(15 + random(35), 2)
        text +=
          ",\(Log.padded(number * 2 + 1, 2)),\(Log.padded(random(90), 2)),\(Log.padded(random(360), 3)),\(strength)"
      }
      append(text + ",1")
    }
  }
}
