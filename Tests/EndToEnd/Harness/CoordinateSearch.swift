import Foundation

/// A search for positions in bytes, in every form in which the gateway stores or writes a position.
struct CoordinateSearch {
  struct Position: Hashable {
    var latitude: Double
    var longitude: Double
  }

  private let known: [Position]
  /// Decimal degrees with three decimals, truncated and rounded, without a sign.
  private var decimals: Set<String> = []
  /// The NMEA form: degrees and minutes with two decimals.
  private var minutes: Set<String> = []
  private var doubles: Set<UInt64> = []
  /// The UBX form: units of 1e-7 degrees.
  private var latitudes: Set<Int32> = []
  private var longitudes: Set<Int32> = []
  private let latitudeRange: ClosedRange<Double>
  private let longitudeRange: ClosedRange<Double>

  /// - Parameter known: The positions to find, at least one.
  init(_ known: [Position]) {
    self.known = known
    latitudeRange = Self.range(known.map(\.latitude))
    longitudeRange = Self.range(known.map(\.longitude))
    for position in known {
      add(position.latitude, digits: 2)
      add(position.longitude, digits: 3)
      latitudes.formUnion(Self.scaled(position.latitude))
      longitudes.formUnion(Self.scaled(position.longitude))
    }
  }

  private static func range(_ values: [Double]) -> ClosedRange<Double> {
    (values.min() ?? 0) - 0.001...(values.max() ?? 0) + 0.001
  }

  private mutating func add(_ value: Double, digits: Int) {
    let size = abs(value)
    decimals.insert(String(format: "%.3f", size))
    decimals.insert(String(format: "%.3f", (size * 1000).rounded(.down) / 1000))
    let whole = Int(size)
    let rest = (size - Double(whole)) * 60
    for rounded in [(rest * 100).rounded(.down) / 100, (rest * 100).rounded() / 100] {
      minutes.insert(String(format: "%0\(digits)d%05.2f", whole, rounded))
    }
    for signed in [size, -size] { doubles.insert(signed.bitPattern) }
  }

  private static func scaled(_ value: Double) -> [Int32] {
    let units = Int32((value * 1e7).rounded())
    return [units - 1, units, units + 1]
  }

  /// Returns the positions that were found, each with its form. The result is empty if the bytes contain no position.
  func findings(in bytes: [UInt8]) -> [String] { textFindings(in: bytes) + binaryFindings(in: bytes) }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private func textFindings(in bytes: [UInt8]) -> [String] {
    var found: [String] = []
    var start: Int?
    for index in bytes.indices {
      if Self.isDigit(bytes[index]) {
        if start == nil { start = index }
        continue
      }
      defer { start = nil }
      guard let first = start, bytes[index] == UInt8(ascii: "."), index - first <= 5 else { continue }
      let fraction = bytes[(index + 1)...].prefix { Self.isDigit($0) }.prefix(3)
      let text = String(decoding: bytes[first...index] + fraction, as: UTF8.self)
      if fraction.count == 3, decimals.contains(text) { found.append("decimal degrees \(text)") }
      if fraction.count >= 2, minutes.contains(String(text.prefix(index - first + 3))) {
        found.append("degrees and minutes \(text)")
      }
    }
    return found
  }

  private func binaryFindings(in bytes: [UInt8]) -> [String] {
    var found: [String] = []
    for isLittle in [true, false] {
      for index in bytes.indices {
        if let double = double(at: index, in: bytes, isLittle) {
          if doubles.contains(double.bitPattern) { found.append("a double at \(index)") }
          if let next = self.double(at: index + 8, in: bytes, isLittle), isPair(double, next) {
            found.append("two doubles at \(index)")
          }
        }
        guard let first = scaled(at: index, in: bytes, isLittle) else { continue }
        guard latitudes.contains(first) || longitudes.contains(first),
          let second = scaled(at: index + 4, in: bytes, isLittle)
        else { continue }
        if latitudes.contains(first) && longitudes.contains(second)
          || longitudes.contains(first) && latitudes.contains(second)
        {
          found.append("two integers at \(index)")
        }
      }
    }
    return found
  }

  private func isPair(_ one: Double, _ other: Double) -> Bool {
    latitudeRange.contains(one) && longitudeRange.contains(other)
      || longitudeRange.contains(one) && latitudeRange.contains(other)
  }

  /// Returns nil also for a value that is too small or too large for a coordinate of this search.
  private func double(at index: Int, in bytes: [UInt8], _ isLittle: Bool) -> Double? {
    guard index + 8 <= bytes.count, bytes[isLittle ? index + 7 : index] & 0x7F == 0x40 else { return nil }
    return Double(bitPattern: word(at: index, 8, in: bytes, isLittle))
  }

  private func scaled(at index: Int, in bytes: [UInt8], _ isLittle: Bool) -> Int32? {
    guard index + 4 <= bytes.count else { return nil }
    return Int32(truncatingIfNeeded: word(at: index, 4, in: bytes, isLittle))
  }

  private func word(at index: Int, _ count: Int, in bytes: [UInt8], _ isLittle: Bool) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<count { word = word << 8 | UInt64(bytes[isLittle ? index + count - 1 - offset : index + offset]) }
    return word
  }
}
