import GNSS
import SimulatedHardware

/// The contents of a burst's sentences, parsed with a minimal parser for these tests.
struct ReportedEpoch {
  /// The fields of every sentence, with its address first. The checksum is verified and removed.
  let sentences: [[String]]

  /// Returns nil if a line is not a sentence or its checksum is wrong.
  init?(_ burst: ReceiverSimulation.Burst) {
    guard burst.bytes.suffix(2) == [13, 10] else { return nil }
    var sentences: [[String]] = []
    for line in burst.bytes.split(separator: 10) {
      // `$`, the body, `*`, two digits and a carriage return.
      let (body, tail) = (line.dropFirst().dropLast(4), line.suffix(4))
      guard line.first == UInt8(ascii: "$"), tail.first == UInt8(ascii: "*"), tail.last == 13,
        UInt8(String(decoding: tail.dropFirst().prefix(2), as: UTF8.self), radix: 16) == body.reduce(0, ^)
      else { return nil }
      let fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      sentences.append(fields.map { String(decoding: $0, as: UTF8.self) })
    }
    self.sentences = sentences
  }

  func all(_ address: String) -> [[String]] {
    sentences.filter { $0[0] == address }
  }

  private func number(_ address: String, _ field: Int) -> Double? {
    all(address).first.flatMap { Double($0[field]) }
  }

  private func degrees(_ field: Int, digits: Int) -> Double? {
    guard let text = all("GNGGA").first?[field], let whole = Double(text.prefix(digits)),
      let minutes = Double(text.dropFirst(digits))
    else { return nil }
    return whole + minutes / 60
  }

  var latitude: Double? { degrees(2, digits: 2) }
  var longitude: Double? { degrees(4, digits: 3) }
  var altitude: Double? { number("GNGGA", 9) }
  var hdop: Double? { number("GNGGA", 8) }
  /// GST: one standard deviation in metres.
  var latitudeError: Double? { number("GNGST", 6) }
  var longitudeError: Double? { number("GNGST", 7) }
  var altitudeError: Double? { number("GNGST", 8) }
  /// GSA: 1 no fix, 2 two-dimensional, 3 three-dimensional.
  var mode: Int? { number("GNGSA", 2).map { Int($0) } }
  var time: String? { all("GNRMC").first?[1] }
  var isValid: Bool { all("GNRMC").first?[2] == "A" }

  /// Returns the error of the position in metres east and north.
  func error(from truth: ReceiverSimulation.Truth) -> (east: Double, north: Double)? {
    guard let latitude, let longitude else { return nil }
    // The length of a degree in metres at 47.38° north on the WGS 84 ellipsoid.
    return ((longitude - truth.coordinate.longitude) * 75_520, (latitude - truth.coordinate.latitude) * 111_178)
  }
}
