import LineProtocol

/// The commands to parse and notifications to format that the gateway has for the lines of an app.
struct Lines {
  private static let request = Array("@a REQ once max-age=500 timeout=30 purpose=Find parks, please".utf8)
  private static let subscription = Array("SUB fix/once s1 1".utf8)
  private static let news = ServerLine.message(
    .init(
      topic: "fix/once", sid: "s1", id: 4711,
      json: "{\"time\":\"2026-11-21T07:31:34.200Z\",\"lat\":47.376888,\"lon\":8.541694,\"hacc\":2.9,\"alt\":408.2,"
        + "\"vacc\":5.1,\"speed\":0.4,\"sacc\":0.3,\"course\":211.0,\"cacc\":9.0,\"fix\":\"3d\",\"sats\":11,"
        + "\"accuracy\":\"full\",\"age_ms\":140}"))

  static func measure() {
    Benchmarks.measureLines("line REQ, read") { parse(request) }
    Benchmarks.measureLines("line SUB, read") { parse(subscription) }
    var output = TextBuffer(capacity: 4096)
    Benchmarks.measureLines("line MSG, written") {
      output.removeAll()
      news.write(to: &output)
      return output.count
    }
    let line = Array(news.line.utf8)
    Benchmarks.measureLines("line MSG, read") {
      guard let line = ServerLine(parsing: line.span) else { return 0 }
      return line == .ping ? 2 : 1
    }
    Benchmarks.measureLines("line MSG, its checksum") { Int(Checksum.crc16(line.span)) }
  }

  private static func parse(_ bytes: [UInt8]) -> Int {
    guard let tagged = try? TaggedCommand(parsing: bytes.span) else { return 0 }
    return tagged.command == .ping ? 2 : 1
  }
}
