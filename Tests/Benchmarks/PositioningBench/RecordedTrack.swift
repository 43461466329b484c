import Base
import Decoding
import GNSS
import Glibc

/// The log of a receiver with its true positions: another log, or CSV (name.csv) with `utc_unix_s`, `lat` and `lon`.
enum RecordedTrack {
  struct Unreadable: Error, CustomStringConvertible {
    let file: String
    var description: String { "cannot read \(file): no epoch has a position and a time of the other file" }
  }

  private struct TimedPosition {
    let seconds: Double
    let coordinate: Coordinate
  }

  static func points(log: String, truth file: String) throws -> [TrackPoint] {
    let reference = file.hasSuffix(".csv") ? [] : try epochs(file)
    // A reference without dates has the date of the log.
    let isDated = reference.allSatisfy { $0.time != nil }
    let truth = file.hasSuffix(".csv") ? try table(file) : positions(reference, isDated: isDated)
    let points = try epochs(log).map { epoch in
      TrackPoint(epoch: epoch, truth: seconds(of: epoch, isDated: isDated).flatMap { position(at: $0, in: truth) })
    }
    guard points.contains(where: { $0.truth != nil }) else { throw Unreadable(file: log) }
    return points
  }

  private struct Sink: NMEAOutput {
    var epochs: [Epoch] = []
    mutating func receive(_ epoch: Epoch) { epochs.append(epoch) }
  }

  private static func epochs(_ file: String) throws -> [Epoch] {
    var decoder = ReceiverDecoder(configuration: .replay)
    var sink = Sink()
    let log = try bytes(file)
    decoder.consume(log.span, at: MonotonicInstant(nanoseconds: 0), to: &sink)
    decoder.finish(to: &sink)
    return sink.epochs
  }

  /// Seconds since 1970, or since midnight.
  private static func seconds(of epoch: Epoch, isDated: Bool) -> Double? {
    if isDated { return epoch.time.map { Double($0.nanosecondsSince1970) / 1e9 } }
    return epoch.timeOfDay.map { Double($0.nanosecondsSinceMidnight) / 1e9 }
  }

  private static func positions(_ epochs: [Epoch], isDated: Bool) -> [TimedPosition] {
    epochs.compactMap { epoch in
      guard let seconds = seconds(of: epoch, isDated: isDated), let coordinate = epoch.coordinate else { return nil }
      return TimedPosition(seconds: seconds, coordinate: coordinate)
    }
  }

  private static func table(_ file: String) throws -> [TimedPosition] {
    let lines = String(decoding: try bytes(file), as: UTF8.self).split(whereSeparator: \.isNewline)
    let names = (lines.first ?? "").split(separator: ",", omittingEmptySubsequences: false)
    guard let time = names.firstIndex(of: "utc_unix_s"), let latitude = names.firstIndex(of: "lat"),
      let longitude = names.firstIndex(of: "lon")
    else { throw Unreadable(file: file) }
    return lines.dropFirst().compactMap { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
      guard cells.count == names.count, let seconds = cells[time], let north = cells[latitude],
        let east = cells[longitude], let position = Coordinate(latitude: north, longitude: east)
      else { return nil }
      return TimedPosition(seconds: seconds, coordinate: position)
    }
  }

  /// Returns the true position between the two around a time, if these are at most 2.5 s apart.
  private static func position(at seconds: Double, in truth: [TimedPosition]) -> Coordinate? {
    var (low, high) = (0, truth.count)
    while low < high {
      let middle = (low + high) / 2
      if truth[middle].seconds < seconds { low = middle + 1 } else { high = middle }
    }
    guard low < truth.count else { return nil }
    if truth[low].seconds == seconds { return truth[low].coordinate }
    guard low > 0, truth[low].seconds - truth[low - 1].seconds <= 2.5 else { return nil }
    let (before, after) = (truth[low - 1], truth[low])
    let share = (seconds - before.seconds) / (after.seconds - before.seconds)
    return Coordinate(
      latitude: before.coordinate.latitude + share * (after.coordinate.latitude - before.coordinate.latitude),
      longitude: before.coordinate.longitude + share * (after.coordinate.longitude - before.coordinate.longitude))
  }

  private static func bytes(_ file: String) throws -> [UInt8] {
    guard let stream = unsafe fopen(file, "rb") else { throw Unreadable(file: file) }
    defer { unsafe fclose(stream) }
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&chunk, 1, chunk.count, stream)
      if count == 0 { return all }
      all += chunk[..<count]
    }
  }
}
