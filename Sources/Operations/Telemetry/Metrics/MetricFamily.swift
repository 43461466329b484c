/// Metrics of one name, which differ in their labels. (OpenMetrics 1.0 §4)
///
/// Only counters, gauges and histograms: what reads the text format of Prometheus 0.0.4 knows no other.
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

  /// Without the `_total` of a counter; with its unit at the end, where it has one.
  package let name: String
  let kind: Kind
  let unit: String?
  let help: String
  private(set) var samples: [Sample] = []

  private init(_ kind: Kind, _ name: String, unit: String?, _ help: String) {
    precondition(Self.isName(name) && unit.map { name.hasSuffix("_\($0)") } ?? true)
    // What would have to be escaped is escaped differently by the two formats.
    precondition(!help.contains { $0.isNewline || $0 == "\\" || $0 == "\"" })
    self.kind = kind
    self.name = name
    self.unit = unit
    self.help = help
  }

  /// What only ever grows while the process runs.
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

  /// One histogram for each key, in their order.
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

  /// With one more metric, whose labels no other of the family has. What is not known is left out.
  package func with(_ value: Int?, _ labels: Labels = []) -> MetricFamily { with(value.map { .integer($0) }, labels) }

  package func with(_ value: Double?, _ labels: Labels = []) -> MetricFamily { with(value.map { .number($0) }, labels) }

  private func with(_ value: Value?, _ labels: Labels) -> MetricFamily {
    precondition(kind != .histogram && labels.allSatisfy { Self.isName($0.name) })
    guard let value else { return self }
    var family = self
    family.samples.append(Sample(labels: labels.map { Label(name: $0.name, value: $0.value) }, value: value))
    return family
  }

  /// One metric for each key, in their order.
  package func with(_ values: [String: Int], by label: String) -> MetricFamily {
    values.sorted { $0.key < $1.key }.reduce(self) { $0.with($1.value, [(label, $1.key)]) }
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == 0x5F }
  }
}
