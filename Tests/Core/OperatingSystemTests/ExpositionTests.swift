import Testing

@testable import OperatingSystem

@Suite struct ExpositionTests {
  @Test func `each family has its type, unit and help before its metrics, and the end is marked`() {
    let exposition = Exposition([
      .counter("presses", "Presses.").with(3, [("outcome", "served")]).with(0, [("outcome", "nothing")]),
      .gauge("size_bytes", unit: "bytes", "Size.").with(1.5),
      .gauge("absent", "Not known.").with(nil as Int?),
      .counter("cpu_seconds", unit: "seconds", "Time.").with(0.25),
    ])
    #expect(
      exposition.text == """
        # TYPE presses counter
        # HELP presses Presses.
        presses_total{outcome="served"} 3
        presses_total{outcome="nothing"} 0
        # TYPE size_bytes gauge
        # UNIT size_bytes bytes
        # HELP size_bytes Size.
        size_bytes 1.5
        # TYPE cpu_seconds counter
        # UNIT cpu_seconds seconds
        # HELP cpu_seconds Time.
        cpu_seconds_total 0.25
        # EOF

        """)
    #expect(exposition.lines.joined(separator: "\n") + "\n" == exposition.text)
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"), ("灯\"", "灯\\\""),
    ("\r\n", "\r\\n"),
  ])
  func `a label's value cannot end its quotes`(value: String, written: String) {
    let lines = Exposition([.gauge("light", "L.").with(1, [("name", value)])]).lines
    #expect(lines.contains("light{name=\"\(written)\"} 1"))
  }

  @Test(arguments: [
    (0.0, "0.0"), (-1.5, "-1.5"), (1e-5, "1e-05"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
  ])
  func `numbers are valid in both formats`(value: Double, written: String) {
    #expect(Exposition([.gauge("number", "N.").with(value)]).lines.contains("number \(written)"))
  }

  @Test func `the keys of a table become labels in sorted order`() {
    let family = MetricFamily.gauge("state", "S.").with(["b": 1, "a": 0], by: "state")
    #expect(
      Exposition([family]).lines.filter { !$0.hasPrefix("#") } == [#"state{state="a"} 0"#, #"state{state="b"} 1"#])
  }
}

@Suite struct HistogramTests {
  @Test(arguments: [
    (-1.0, 0), (0, 0), (0.1, 0), (0.100_000_1, 1), (1, 1), (1.5, 2), (2, 2), (2.1, 3), (1e300, 3), (.infinity, 3),
  ])
  func `a value is in the first bucket with a bound that is not smaller`(value: Double, bucket: Int) {
    var histogram = Histogram(bounds: [0.1, 1, 2])
    histogram.observe(value)
    #expect(histogram.counts.indices.filter { histogram.counts[$0] > 0 } == [bucket])
    #expect(histogram.count == 1 && histogram.sum == value)
  }

  @Test func `NaN is not counted, and durations are in seconds`() {
    var histogram = Histogram(bounds: [1])
    histogram.observe(.nan)
    #expect(histogram.count == 0)
    histogram.observe(.milliseconds(1500))
    histogram.observe(.microseconds(-1))
    #expect(histogram.counts == [1, 1] && abs(histogram.sum - 1.499999) < 1e-9)
  }

  @Test func `buckets are cumulative and end with +Inf`() {
    var histogram = Histogram(bounds: [0.5, 1])
    for value in [0.25, 0.5, 0.75, 4] { histogram.observe(value) }
    let exposition = Exposition([.histogram("time_seconds", unit: "seconds", "T.", histogram)])
    #expect(
      exposition.lines == [
        "# TYPE time_seconds histogram", "# UNIT time_seconds seconds", "# HELP time_seconds T.",
        #"time_seconds_bucket{le="0.5"} 2"#, #"time_seconds_bucket{le="1.0"} 3"#, #"time_seconds_bucket{le="+Inf"} 4"#,
        "time_seconds_count 4", "time_seconds_sum 5.5", "# EOF",
      ])
  }

  @Test func `the histograms of a family have different labels, on every line`() {
    var histogram = Histogram(bounds: [1])
    histogram.observe(0.5)
    let family = MetricFamily.histogram(
      "time_seconds", unit: "seconds", "T.", ["b": histogram, "a": Histogram(bounds: [1])], by: "kind")
    #expect(
      Exposition([family]).lines.filter { !$0.hasPrefix("#") } == [
        #"time_seconds_bucket{kind="a",le="1.0"} 0"#, #"time_seconds_bucket{kind="a",le="+Inf"} 0"#,
        #"time_seconds_count{kind="a"} 0"#, #"time_seconds_sum{kind="a"} 0.0"#,
        #"time_seconds_bucket{kind="b",le="1.0"} 1"#, #"time_seconds_bucket{kind="b",le="+Inf"} 1"#,
        #"time_seconds_count{kind="b"} 1"#, #"time_seconds_sum{kind="b"} 0.5"#,
      ])
  }
}
