import Base
import Decoding
import FoundationEssentials
import GNSS
import Repository
import Testing

/// A receiver's log under `Tests/Fixtures/ReceiverLogs` and its expected epochs.
struct Corpus: CustomTestStringConvertible, Sendable {
  let name: String

  static let all = [
    "garmin-4800", "gga-only", "mediatek-mt3333", "mixed", "quectel-lc86", "rmc-only", "sirf-star3", "ublox-m10",
    "ublox-m8",
  ].map(Corpus.init(name:))

  var testDescription: String { name }

  private static let folder = URL(filePath: Repository.root).appending(path: "Tests/Fixtures/ReceiverLogs")

  func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: Corpus.folder.appending(path: "\(name).nmea")))
  }

  /// The expected epochs, one line each.
  func expected() throws -> [String] {
    let data = try Data(contentsOf: Corpus.folder.appending(path: "\(name).epochs"))
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

/// Returns date, time, latitude, longitude, quality, mode, altitude, satellites used, horizontal dilution, speed,
/// course, satellites in view, of them used; `-` is unknown.
func describe(_ epoch: Epoch) -> String {
  func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }
  func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
  let date = epoch.date.map { "\(padded($0.year, 4))-\(padded($0.month, 2))-\(padded($0.day, 2))" }
  let time = epoch.timeOfDay.map {
    "\(padded($0.hour, 2)):\(padded($0.minute, 2)):\(padded($0.second, 2)).\(padded($0.nanosecond / 1_000_000, 3))"
  }
  return [
    text(date), text(time), text(epoch.coordinate?.latitude), text(epoch.coordinate?.longitude),
    text(epoch.quality?.rawValue), text(epoch.mode?.rawValue), text(epoch.altitude), text(epoch.satellitesUsed),
    text(epoch.dilutionOfPrecision.horizontal), text(epoch.speed), text(epoch.course), "\(epoch.satellites.count)",
    "\(epoch.satellites.count { $0.isUsed == true })",
  ].joined(separator: " ")
}
