/// The text of all metrics in the format OpenMetrics 1.0. Readers of the Prometheus text format 0.0.4, such as the
/// textfile collector of the node exporter, accept the same text.
package struct Exposition: Sendable {
  package let families: [MetricFamily]

  /// Creates the text of metric families with distinct names. Families without metrics are left out.
  package init(_ families: [MetricFamily]) { self.families = families.filter { !$0.samples.isEmpty } }

  package var lines: [String] { families.flatMap(\.lines) + ["# EOF"] }

  package var text: String { lines.joined(separator: "\n") + "\n" }
}

extension MetricFamily {
  fileprivate var lines: [String] {
    var lines = ["# TYPE \(name) \(kind.rawValue)"]
    if let unit { lines.append("# UNIT \(name) \(unit)") }
    lines.append("# HELP \(name) \(help)")
    for sample in samples {
      switch sample.value {
      case .integer(let number): lines.append(line(suffix, sample.labels, "\(number)"))
      case .number(let number): lines.append(line(suffix, sample.labels, number.exposed))
      case .histogram(let histogram): lines += buckets(of: histogram, sample.labels)
      }
    }
    return lines
  }

  private var suffix: String { kind == .counter ? "_total" : "" }

  private func buckets(of histogram: Histogram, _ labels: [Label]) -> [String] {
    var lines: [String] = []
    var sum = 0
    for (bound, count) in zip(histogram.bounds + [.infinity], histogram.counts) {
      sum += count
      lines.append(line("_bucket", labels + [Label(name: "le", value: bound.exposed)], "\(sum)"))
    }
    return lines + [line("_count", labels, "\(sum)"), line("_sum", labels, histogram.sum.exposed)]
  }

  private func line(_ suffix: String, _ labels: [Label], _ value: String) -> String {
    let labels = labels.map { "\($0.name)=\"\($0.value.escaped)\"" }.joined(separator: ",")
    return "\(name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value)"
  }
}

extension Double {
  fileprivate var exposed: String {
    if isNaN { return "NaN" }
    return isInfinite ? (self < 0 ? "-Inf" : "+Inf") : "\(self)"
  }
}

extension String {
  /// The text with escaped special characters, for use as the value of a metric's label.
  fileprivate var escaped: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
