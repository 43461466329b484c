import ArgumentParser
import LineProtocol
import OneFixClient

struct MetricsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Print the metrics of the gateway in the OpenMetrics format.",
    discussion: "The metrics contain no position. For a collector that reads files, see [metrics] in onefix.toml.")

  @OptionGroup var socket: SocketOptions

  func run() async throws {
    let messages = try await socket.asOwner { try await $0.perform(.owner(.metrics)).messages }
    try printLines(messages.map { MetricMessage(json: $0.json)?.line ?? "" })
  }
}
