/// A metric family: metrics with the same name and different labels. The types are counters, gauges and histograms,
/// which OpenMetrics and the Prometheus text format 0.0.4 have in common. (OpenMetrics 1.0 §4)
package struct MetricFamily: Hashable, Sendable {
  package typealias Labels = [(name: String, value: String)]

  enum Kind: String {
    case counter, gauge, histogram
  }

  enum Value: Hashable {
    case integer(Int)
    case number(Double)
    case histogram(Histogram)
  }

  struct Label: Hashable {
    let name: String
    let value: String
  }

  struct Sample: Hashable {
    let labels: [Label]
    let value: Value
  }

  /// The name of the family without the suffix `_total`. If the family has a unit, the name ends with the unit.
  package let name: String
  let kind: Kind
  let unit: String?
  let help: String
  private(set) var samples: [Sample] = []

  private init(_ kind: Kind, _ name: String, unit: String?, _ help: String) {
    precondition(Self.isName(name) && unit.map { name.hasSuffix("_\($0)") } ?? true)
    // A help text must not contain these characters, because OpenMetrics and the Prometheus text format escape them
    // differently.
    precondition(!help.contains { $0.isNewline || $0 == "\\" || $0 == "\"" })
    self.kind = kind
    self.name = name
    self.unit = unit
    self.help = help
  }

  package static func counter(_ name: String, unit: String? = nil, _ help: String) -> MetricFamily {
    MetricFamily(.counter, name, unit: unit, help)
  }

  package static func gauge(_ name: String, unit: String? = nil, _ help: String) -> MetricFamily {
    MetricFamily(.gauge, name, unit: unit, help)
  }

  package static func histogram(
    _ name: String, unit: String?, _ help: String, _ histogram: Histogram
  ) -> MetricFamily {
    var family = MetricFamily(.histogram, name, unit: unit, help)
    family.samples = [Sample(labels: [], value: .histogram(histogram))]
    return family
  }

  /// Creates a metric family with one histogram for each key of the dictionary, sorted by key.
  /// - Parameter label: The name of the label that has the key as its value.
  package static func histogram(
    _ name: String, unit: String?, _ help: String, _ histograms: [String: Histogram], by label: String
  ) -> MetricFamily {
    precondition(isName(label) && label != "le")
    var family = MetricFamily(.histogram, name, unit: unit, help)
    family.samples = histograms.sorted { $0.key < $1.key }.map { key, histogram in
      Sample(labels: [Label(name: label, value: key)], value: .histogram(histogram))
    }
    return family
  }

  /// Returns a copy of the metric family with one more metric. If the value is nil, the copy is unchanged. The labels
  /// of the metric must be unique in the family.
  package func with(_ value: Int?, _ labels: Labels = []) -> MetricFamily { with(value.map { .integer($0) }, labels) }

  package func with(_ value: Double?, _ labels: Labels = []) -> MetricFamily { with(value.map { .number($0) }, labels) }

  private func with(_ value: Value?, _ labels: Labels) -> MetricFamily {
    var family = self
    if let value { family.add(value, labels) }
    return family
  }

  private mutating func add(_ value: Value, _ labels: Labels) {
    precondition(kind != .histogram && labels.allSatisfy { Self.isName($0.name) })
    samples.append(Sample(labels: labels.map { Label(name: $0.name, value: $0.value) }, value: value))
  }

  /// Returns a copy of the metric family with more metrics, in the given order.
  package func with(_ metrics: [(value: Int, labels: Labels)]) -> MetricFamily {
    var family = self
    for metric in metrics { family.add(.integer(metric.value), metric.labels) }
    return family
  }

  /// Returns a copy of the metric family with one more metric for each key of the dictionary, sorted by key.
  /// - Parameter label: The name of the label that has the key as its value.
  package func with(_ values: [String: Int], by label: String) -> MetricFamily {
    with(values.sorted { $0.key < $1.key }.map { ($0.value, [(label, $0.key)]) })
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == 0x5F }
  }
}
