import GNSS
import NMEA
import Sentences
import Testing

private let time = "123519.250"
private let positions = [
  "4807.03812,N,01131.00047,E", "4807.038,S,01131.000,W", "4807.0381234,N,01131.0001234,E", "0001.1,N,00001.1,E",
]

/// Returns variants of a text: with each character replaced by others, and with one character removed or added.
private func variants(_ text: String) -> [String] {
  let characters = Array(text)
  return characters.indices.flatMap { index in
    var all = "0159NSEW.,".map { (other: Character) -> String in
      String(characters[..<index] + [other] + characters[(index + 1)...])
    }
    all.append(String(characters[..<index] + characters[(index + 1)...]))
    all.append(String(characters[...index] + ["7"] + characters[(index + 1)...]))
    return all
  }
}

@Test(arguments: positions)
func `the position of the previous sentence does not change how a position is read`(position: String) {
  for other in variants(position) {
    let alone = decode(nmeaSentence("GPRMC,123520.250,A,\(other),022.4,084.4,211126,,,A"))
    let both = decode(
      nmeaSentence("GPRMC,\(time),A,\(position),022.4,084.4,211126,,,A")
        + nmeaSentence("GPRMC,123520.250,A,\(other),022.4,084.4,211126,,,A"))
    #expect(both.epochs.dropFirst().map(\.coordinate) == alone.epochs.map(\.coordinate))
    #expect(both.errors == alone.errors)
  }
}

@Test(arguments: ["123519.250", "123519.25", "123519.2", "123519.123456789"])
func `the time of the previous sentence does not change how a time is read`(time: String) {
  // A sentence that is invalid after its time belongs to no epoch.
  let first = nmeaSentence("GPGLL,4807.038,N,01131.000,E,\(time),x,A")
  for other in variants(time) {
    let next = nmeaSentence("GPGLL,4807.038,N,01131.000,E,\(other),A,A")
    let (alone, both) = (decode(next), decode(first + next))
    #expect(both.epochs.map(\.timeOfDay) == alone.epochs.map(\.timeOfDay))
    #expect(both.errors.dropFirst() == alone.errors[...])
  }
}

@Test(arguments: [
  ("GPGGA,123519,4807.038,N,01131.000,E", SentenceType.gga, 5), ("GPGGA,123519,x,N,01131.000", .gga, 4),
  ("GPRMC,123519,A,4807.038,N,01131.000", .rmc, 5), ("GPRMC,x", .rmc, 1),
  ("GPGLL,4807.038,N,01131.000", .gll, 3), ("GPGLL,", .gll, 1), ("GPGLL,,,", .gll, 3),
])
func `a missing field that decides is reported before a malformed one`(content: String, type: SentenceType, count: Int)
{
  #expect(decode(nmeaSentence(content)).errors == [.fieldCount(type, count)])
}
