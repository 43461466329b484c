import ArgumentParser
import Glibc
import TrackFormats

struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turn what a receiver sent into fixes, one for each epoch.",
    discussion: """
      Reads NMEA 0183, alone or mixed with binary frames, from a recording, a pipe or a device. Needs no gateway. An \
      epoch without a fix gives no line; a position that is estimated, typed in or simulated says so as its quality.

      Exit status: 0 decoded, 64 usage, 66 FILE cannot be read, 74 the output cannot be written.
      """)

  @Option(help: "json, csv, gpx, geojson or kml. (default: json; with --stats a table for people)")
  var format: TrackFormat?

  @Flag(help: "Every sentence with all its fields, and every error with its cause, as lines of JSON in place of fixes.")
  var sentences = false

  @Flag(help: "Counts by talker, type and error in place of fixes; one JSON object with --format json.")
  var stats = false

  @Argument(help: "A recording or a device; - is the standard input.")
  var file: String

  func validate() throws {
    if sentences, stats { throw ValidationError("--sentences and --stats are two outputs: choose one") }
    if sentences || stats, let format, format != .json {
      throw ValidationError("--\(sentences ? "sentences" : "stats") has no \(format.rawValue): only fixes have")
    }
  }

  func run() throws {
    do throws(FileError) {
      if sentences {
        try decode(SentenceOutput())
      } else if stats {
        try decode(StatisticsOutput(isJSON: format == .json))
      } else {
        try decode(FixOutput(format ?? .json))
      }
    } catch {
      say("onefix: \(error)")
      throw ExitCode(error.status)
    }
  }

  private func decode(_ sink: some DecodeSink) throws(FileError) {
    var sink = sink
    let input = try InputFile(file)
    // A recording is done soon, and Ctrl-C ends it as it ends any program.
    if input.isLive { Interruption.watch() }
    var decoding = Decoding(input)
    try decoding.run(&sink)
  }
}

extension TrackFormat: ExpressibleByArgument {}
