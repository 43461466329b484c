import ArgumentParser
import FoundationEssentials
import LineProtocol
import OneFixClient

struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Print the metrics of the gateway in the OpenMetrics format.",
    discussion: "The metrics contain no position. For a collector that reads files, see [metrics] in onefix.toml.")

  @OptionGroup var socket: SocketOptions

  func run() async throws {
    let client = try await socket.connectAsOwner()
    let lines = LineCollector()
    _ = try await orExit {
      try await client.perform(.owner(.metrics)) { lines.append(MetricsLine(json: $0.json).line) }
    }
    await client.close()
    for line in lines.all { print(line) }
  }
}

/// A message that contains one line of the metrics.
private struct MetricsLine: Decodable {
  var line: String

  init(json: String) {
    self = (try? JSONDecoder().decode(MetricsLine.self, from: Data(json.utf8))) ?? MetricsLine(line: "")
  }

  private init(line: String) { self.line = line }
}
