import ArgumentParser

struct Decode: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Decode receiver data to fixes, one for each epoch.",
    discussion: """
      Reads NMEA 0183, UBX and RTCM 3, also mixed, from a recording, a pipe or a device. Needs no gateway. An epoch \
      without a fix gives no line. The quality of a position shows whether it is estimated, manually entered or simulated.

      Ctrl-C ends the input from a device or a pipe, and completes the output.

      Exit status: 0 decoded, 6 no fix, 64 usage, 65 no receiver data, or compressed data, 66 cannot \
      read FILE, 74 cannot write the output, 130 the decoding of a recording was interrupted.
      """)

  @Option(
    help: "json, csv, gpx, geojson, kml or table. (default: table on a terminal, otherwise json; with --stats, text)")
  var format: TrackFormat?

  @Flag(help: "Print counts by talker, type, message and error instead of fixes; with --format json, one JSON object.")
  var stats = false

  @Flag(help: "Also read NMEA sentences without a checksum.")
  var noChecksum = false

  @Argument(help: "A recording or a device; - is standard input.")
  var file: String

  func validate() throws {
    if stats, let format, format != .json {
      throw ValidationError("--stats cannot be combined with --format \(format.rawValue)")
    }
  }

  func run() throws {
    var isLive = true
    do throws(FileError) {
      if stats {
        try decode(StatisticsOutput(isJSON: format == .json), &isLive)
      } else {
        try decode(FixOutput(format ?? (Screen.isTerminal ? .table : .json)), &isLive)
      }
    } catch  where Interruption.signal == nil || isLive {
      printError("onefix: \(error)")
      throw ExitCode(error.status)
    } catch {}
    // Data from a receiver normally ends with an interruption, because a receiver never stops sending. For a recording,
    // an interruption means that the recording was not read to its end.
    if let signal = Interruption.signal, !isLive { throw ExitCode(128 + signal) }
  }

  private func decode(_ sink: some DecodeSink, _ isLive: inout Bool) throws(FileError) {
    var sink = sink
    let input = try InputFile(file)
    Interruption.watch()
    isLive = input.isLive
    var decoder = FileDecoder(input, requiresChecksum: !noChecksum)
    try decoder.run(&sink)
  }
}

extension TrackFormat: ExpressibleByArgument {}
