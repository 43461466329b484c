import ArgumentParser

struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Turn what a receiver sent into fixes, one for each epoch.",
    discussion: """
      Reads NMEA 0183 and UBX, alone or mixed, RTCM 3 between them, from a recording (gzip'd ones too), a pipe or a \
      device. Needs no gateway. An epoch without a fix gives no line; a position that is estimated, typed in or simulated \
      says so as its quality.

      Ctrl-C ends what a device or a pipe sends, and completes the output.

      Exit status: 0 decoded, 6 no fix in it, 64 usage, 65 nothing of a receiver in it, or damaged (what came before is \
      decoded), 66 FILE cannot be read, 74 the output cannot be written, 130 a recording was interrupted.
      """)

  @Option(help: "json, csv, gpx, geojson or kml. (default: json; with --stats a table for people)")
  var format: TrackFormat?

  @Flag(
    help:
      "Every sentence and UBX message with its fields, and every error with its cause, as JSON lines in place of fixes."
  )
  var sentences = false

  @Flag(help: "Counts by talker, type, message and error in place of fixes; one JSON object with --format json.")
  var stats = false

  @Argument(help: "A recording, perhaps gzip'd, or a device; - is the standard input.")
  var file: String

  func validate() throws {
    if sentences, stats { throw ValidationError("--sentences and --stats are two outputs: choose one") }
    if sentences || stats, let format, format != .json {
      throw ValidationError("--\(sentences ? "sentences" : "stats") has no \(format.rawValue): only fixes have")
    }
  }

  func run() throws {
    var isLive = true
    do throws(FileError) {
      if sentences {
        try decode(SentenceOutput(), &isLive)
      } else if stats {
        try decode(StatisticsOutput(isJSON: format == .json), &isLive)
      } else {
        try decode(FixOutput(format ?? .json), &isLive)
      }
    } catch  where Interruption.signal == nil || isLive {
      say("onefix: \(error)")
      throw ExitCode(error.status)
    } catch {}
    // A receiver never ends by itself; a recording has not been read to its end.
    if let signal = Interruption.signal, !isLive { throw ExitCode(128 + signal) }
  }

  private func decode(_ sink: some DecodeSink, _ isLive: inout Bool) throws(FileError) {
    var sink = sink
    let input = try InputFile(file)
    Interruption.watch()
    isLive = input.isLive
    var decoding = Decoding(input)
    try decoding.run(&sink)
  }
}

extension TrackFormat: ExpressibleByArgument {}
