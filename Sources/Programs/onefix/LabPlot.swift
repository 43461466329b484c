import ArgumentParser
import Decoding
import Estimation
import GNSS
import Base

/// The command `onefix lab plot`, which draws a receiver's track before and after the daemon's position filter.
struct LabPlot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot", abstract: "Draw the receiver's track and the filter's track of a log as SVG.",
    discussion: """
      Circles are the radius that holds the true position in 68 of 100 cases. The track is dashed where measurements \
      are missing.

      Exit status: as for smooth.
      """)

  @Argument(help: "A recording; - is standard input.")
  var log: String

  @Option(help: "The true positions: a recording, or CSV (name.csv) with the columns lat and lon.")
  var truth: String?

  @Option(name: [.short, .customLong("output")], help: "The SVG file to write.")
  var output: String

  func run() throws {
    try filesOrExit { () throws(FileError) in
      var plot = TrackPlot(title: log.split(separator: "/").last.map(String.init) ?? log)
      try plot.add(log: log)
      if let truth { try plot.add(truth: truth) }
      try OutputStream.makeFile(of: plot.svg, at: output, mode: 0o644)
    }
  }
}

extension TrackPlot {
  fileprivate mutating func add(log: String) throws(FileError) {
    var sink = PlotInput()
    var decoder = FileDecoder(try InputFile(log, for: "lab plot -o track.svg"))
    try decoder.run(&sink)
    (raw, smoothed) = (sink.raw, sink.smoothed)
  }

  fileprivate mutating func add(truth file: String) throws(FileError) {
    if file.hasSuffix(".csv") {
      truth = try CoordinateTable(file).coordinates.map { .init(coordinate: $0) }
      return
    }
    var sink = PlotInput()
    var decoder = FileDecoder(try InputFile(file, for: nil))
    try decoder.run(&sink)
    truth = sink.raw
  }
}

private struct PlotInput: DecodeSink {
  var buffer = TextBuffer()
  var raw: [TrackPlot.Point] = []
  var smoothed: [TrackPlot.Point] = []
  private var filter = PositionFilter()
  private var epochs = 0

  func begin() {}

  func end(_ statistics: Statistics, unreadable: Int) {}

  func shortfall(of statistics: Statistics) -> FileError.Cause? {
    statistics.emptiness ?? (raw.isEmpty ? .noFix(epochs: epochs) : nil)
  }

  mutating func receive(_ epoch: Epoch) {
    epochs += 1
    if let coordinate = epoch.coordinate { raw.append(.init(coordinate: coordinate)) }
    guard let fix = filter.update(epoch) else { return }
    smoothed.append(.init(coordinate: fix.coordinate, radius: fix.horizontalAccuracy, isCoasted: fix.isCoasted))
  }
}
