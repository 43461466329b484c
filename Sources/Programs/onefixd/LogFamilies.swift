import Features
import Logging
import OperatingSystem

extension LogOutput {
  var families: [MetricFamily] {
    let counts = counts
    let messages = Dictionary(
      uniqueKeysWithValues: Logger.Level.allCases.map { ($0.rawValue, counts.messages[$0] ?? 0) })
    return [
      .counter("onefix_log_messages", "Logged messages, by level.").with(messages, by: "level"),
      .counter("onefix_log_messages_lost", "Messages that the journal did not accept.").with(counts.lost),
    ] + (ProcessUsage.own?.families ?? [])
  }
}
