import ArgumentParser
import Base
import Decoding
import Estimation
import GNSS

/// The command `onefix lab smooth`, which applies the daemon's position filter to recorded data of a receiver.
struct LabSmooth: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smooth",
    abstract: "Apply the daemon's filter to a log and show the fixes that apps would have received.",
    discussion: """
      Reads what decode reads. Writes CSV with the header utc_unix_s,lat,lon,hacc: a row for each epoch, including \
      epochs without a position if the filter can predict it (up to 30 s). Seconds since 1970, degrees, and the radius \
      in metres that holds the true position in 68 of 100 cases. An epoch without a date has no row.

      Exit status: 0, 6 no fix, 64 usage, 65 no receiver data, 66 cannot read FILE, 74 cannot write \
      the output.
      """)

  @Argument(help: "A recording; - is standard input.")
  var file: String = "-"

  func run() throws {
    try filesOrExit { () throws(FileError) in
      var sink = SmoothOutput()
      var decoder = FileDecoder(try InputFile(file, for: "lab smooth"))
      try decoder.run(&sink)
    }
  }
}

/// An output of filtered fixes as CSV, one row for each epoch (all data of the receiver for one instant).
struct SmoothOutput: DecodeSink {
  var buffer = TextBuffer(capacity: 1 << 17)
  private var filter = PositionFilter()
  private var epochs = 0
  private var rows = 0

  mutating func begin() { buffer.append("utc_unix_s,lat,lon,hacc\n") }

  func end(_ statistics: Statistics, unreadable: Int) {}

  func shortfall(of statistics: Statistics) -> FileError.Cause? {
    statistics.emptiness ?? (rows > 0 ? nil : .noFix(epochs: epochs))
  }

  mutating func receive(_ epoch: Epoch) {
    epochs += 1
    guard let fix = filter.update(epoch), let time = fix.time else { return }
    rows += 1
    let seconds = Double(time.nanosecondsSince1970) / 1e9
    let (latitude, longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
    buffer.append("\(seconds),\(latitude),\(longitude),\(fix.horizontalAccuracy)\n")
  }
}
