import Base
import Foundation
import SeededNumbers
import TemporaryFiles
import Testing

@testable import OwnerScreens

/// The bytes that a line of 9600 baud carries in a second, at ten bits for each byte.
private let carried = 960

/// A typical minute: the clock changes, satellite signals vary, an app comes into use, and the log gets an entry.
private func minute(_ rows: Int, _ columns: Int, _ kind: TerminalKind) throws -> [Frame] {
  var session = Sample.session(Sample.boat, rows, columns, kind)
  return try (0..<60).map { second in
    var overview = Sample.boat
    overview.satellites = Sample.sky(second)
    overview.horizontalAccuracy = "2.\(second % 7)"
    if second > 30 {
      overview.apps[3].now = "in use"
      overview.entries.removeLast()
      overview.entries.insert(.init(time: "2026-11-21 07:38:00", entry: "#7", app: "weather", what: "one"), at: 0)
    }
    _ = session.handle(.updated(overview), at: try Sample.reading(Double(second)).monotonic)
    return try session.look(Double(second))
  }
}

@Test(arguments: [(24, 80), (50, 132), (12, 40)])
func `a typical minute needs less than 9600 baud in every second after the first frame`(rows: Int, columns: Int)
  throws
{
  for kind in [Sample.unicode, Sample.plain] {
    let frames = try minute(rows, columns, kind)
    let first = frames[0].bytes(after: nil, kind).count
    let seconds = zip(frames, frames.dropFirst()).map { $1.bytes(after: $0, kind).count }
    #expect(first < (columns > 80 ? 7 : 4) * carried, "\(first)")
    #expect(seconds.max() ?? 0 < carried && seconds.reduce(0, +) < 59 * carried / 3, "\(seconds)")
  }
}

@Test func `unchanged cells are not sent`() throws {
  var session = Sample.session(Sample.boat)
  let frame = try session.look()
  #expect(frame.bytes(after: frame, Sample.unicode).isEmpty)
  // Only the last digit of the clock changes.
  let next = try session.look(1).bytes(after: frame, Sample.unicode)
  #expect(String(decoding: next, as: UTF8.self) == "\u{1B}[1;75H\u{1B}[0;7m5\u{1B}[0m")
}

/// Texts with wide characters and combining marks at different positions.
private let words = ["a", "公", "公園", "e\u{301}", "가", "ab公c", "-", "     ", "…", "👩‍🚀", "x\u{1B}[31m"]

@Test(arguments: [Sample.unicode, Sample.plain])
func `after any sequence of frames, the screen shows the last one`(kind: TerminalKind) {
  var random = SplitMix64(seed: 1)
  for _ in 0..<40 {
    let size = ScreenSize(rows: .random(in: 1...6, using: &random), columns: .random(in: 1...24, using: &random))
    var terminal = EmulatedTerminal(size)
    var former: Frame?
    for _ in 0..<25 {
      var frame =
        Bool.random(using: &random)
        ? former ?? Frame(size: size, isASCII: kind.isASCII) : Frame(size: size, isASCII: kind.isASCII)
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let style = Style(
          isBold: .random(using: &random), isReversed: .random(using: &random),
          colour: Bool.random(using: &random) ? .green : nil)
        frame.put(
          words.randomElement(using: &random) ?? "", row: .random(in: -1...size.rows, using: &random),
          column: .random(in: -1...size.columns, using: &random),
          to: Bool.random(using: &random) ? .random(in: 0...size.columns + 3, using: &random) : nil, style: style)
      }
      terminal.show(frame.bytes(after: former, kind))
      #expect(terminal.lines == frame.lines && terminal.faults.isEmpty, "\(frame.lines) \(terminal.faults)")
      former = frame
    }
    if !kind.hasAttributes { #expect(terminal.attributes == 0) }
  }
}

@Test func `colours are sent only to terminals with colours`() throws {
  let grey = TerminalKind(isASCII: false, hasAttributes: true, hasColours: false)
  var session = Sample.session(Sample.boat, 24, 80, grey)
  let frame = try session.look()
  #expect(String(decoding: frame.bytes(after: nil, Sample.unicode), as: UTF8.self).contains(";32m"))
  let bytes = String(decoding: frame.bytes(after: nil, grey), as: UTF8.self)
  #expect(!bytes.contains(";32m") && !bytes.contains(";33m") && bytes.contains("\u{1B}[0;1m"))
}

/// A real terminal emulator: pyte, from Debian's python3-pyte.
@Test func `a real terminal's screen is the last frame`() throws {
  let folder = try TemporaryDirectory()
  for (rows, columns, kind) in [(24, 80, Sample.unicode), (50, 132, Sample.unicode), (12, 40, Sample.plain)] {
    var frames = try minute(rows, columns, kind)
    var session = Sample.session(Sample.asking, rows, columns, kind)
    frames.append(try session.look(60))
    var bytes = ScreenControl.begin
    var former: Frame?
    for frame in frames {
      bytes += frame.bytes(after: former, kind)
      former = frame
    }
    try folder.write(bytes, to: "bytes")
    let program =
      "import pyte,sys;s=pyte.Screen(\(columns),\(rows));pyte.ByteStream(s).feed(open(sys.argv[1],'rb').read());"
      + "print('\\n'.join(l.rstrip() for l in s.display))"
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    python.arguments = ["-c", program, folder.path("bytes")]
    python.environment = ["PYTHONIOENCODING": "utf-8"]
    let output = Pipe()
    python.standardOutput = output
    try python.run()
    let shown = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    python.waitUntilExit()
    #expect(python.terminationStatus == 0)
    let lines = shown.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    #expect(lines == frames.last?.lines, "\(shown)")
  }
}
