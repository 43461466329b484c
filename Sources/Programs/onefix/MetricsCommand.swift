import ArgumentParser
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
      try await client.perform(.owner(.metrics)) { lines.append(MetricMessage(json: $0.json)?.line ?? "") }
    }
    await client.close()
    for line in lines.all { print(line) }
  }
}
