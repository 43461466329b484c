import Base
import Hardware
import Testing

private func indicator(_ change: (inout IndicatorProfile) -> Void) -> [LegibilityProblem] {
  var profile = IndicatorProfile()
  change(&profile)
  return profile.restrictions
}

private func blinking(_ indication: Indication, _ phases: [Duration], _ repetitions: Int? = nil)
  -> [LegibilityProblem]
{
  indicator { $0.patterns[indication] = IndicatorPattern(phases: phases, repetitions: repetitions) }
}

@Test(arguments: [
  (0.2, true), (0.2.nextDown, false), (1, true), (0, false), (-1, false), (.nan, false), (0.199, false),
])
func `an indicator is too dim below 20 %`(brightness: Double, passes: Bool) {
  #expect(indicator { $0.brightness = brightness } == (passes ? [] : [.indicatorTooDim]))
}

@Test(arguments: [(Duration.milliseconds(500), true), (.milliseconds(500) - .nanoseconds(1), false), (.zero, false)])
func `an indicator is lit for at least 500 ms after a one-time fix`(duration: Duration, passes: Bool) {
  #expect(indicator { $0.onceDuration = duration } == (passes ? [] : [.indicatorTooShort]))
}

@Test func `an indicator is too short if its pattern ends before 500 ms`() {
  #expect(blinking(.inUse, [.milliseconds(250), .milliseconds(249)], 1) == [.indicatorTooShort])
  #expect(blinking(.inUse, [.milliseconds(250), .milliseconds(250)], 1) == [])
  #expect(blinking(.inUse, [.milliseconds(250), .milliseconds(249)]) == [])
}

@Test func `an indicator is too fast above 10 Hz`() {
  for indication in [Indication.acquiring, .inUse, .background, .prompt] {
    #expect(blinking(indication, [.milliseconds(50), .milliseconds(50)]) == [])
    #expect(blinking(indication, [.milliseconds(50), .milliseconds(49)]) == [.indicatorTooFast])
  }
  #expect(blinking(.nothingWaiting, [.milliseconds(5), .milliseconds(5)], 1) == [], "it tells of no location")
}

@Test func `an indicator is too fast with a duty cycle below 5 %`() {
  #expect(blinking(.background, [.milliseconds(100), .milliseconds(1900)]) == [])
  #expect(blinking(.background, [.milliseconds(100), .milliseconds(1901)]) == [.indicatorTooFast])
  #expect(blinking(.inUse, []) == [.indicatorTooShort, .indicatorTooFast], "dark for ever")
}

@Test func `an indicator needs a contrast of 3 with its panel`() throws {
  let white = try #require(Colour("#ffffff"))
  for (colour, passes) in [("#949494", true), ("#959595", false), ("#ffffff", false), ("#000000", true)] {
    let colour = try #require(Colour(colour))
    for (colour, panel) in [(colour, white), (white, colour)] {
      let found = indicator { ($0.colour, $0.panelColour) = (colour, panel) }
      #expect(found == (passes ? [] : [.indicatorLowContrast]))
    }
  }
}

// MARK: Labels

private func button(_ label: String?, height: Double? = nil, width: Double? = nil) -> [LegibilityProblem] {
  ButtonProfile(name: "main", label: label, labelHeight: height, labelWidth: width).restrictions
}

@Test func `a label is too small below 3 mm`() {
  #expect(button("SHARE", height: 3) == [])
  #expect(button("SHARE", height: 3.0.nextDown) == [.labelTooSmall])
  #expect(button("SHARE", height: .nan) == [.labelTooSmall])
  #expect(button("SHARE") == [] && button(nil) == [], "what is not declared is not judged")
}

@Test(arguments: ["SHARE", "Standort", "現在地", "VỊ TRÍ", "VI\u{323} TRI\u{301}", "位置", "위치"])
func `a label is truncated if it needs more than its declared width`(label: String) {
  // At 3.5 mm the em is 5 mm: a narrow letter needs 3.1 mm and a wide one 5 mm, with any combining marks.
  let isWide = !label.contains { $0.isASCII }
  let width = Double(label.count) * (isWide ? 5 : 3.1)
  #expect(button(label, height: 3.5, width: width + 1e-6) == [])
  #expect(button(label, height: 3.5, width: width - 1e-6) == [.labelTruncated])
}

@Test func `no text fits into a width of NaN, and an undeclared width is not checked`() {
  #expect(button("SHARE", height: 3.5, width: .nan) == [.labelTruncated])
  #expect(button("SHARE", height: 3.5) == [] && button(nil, height: 3.5, width: 1) == [])
  #expect(button("", height: 3.5, width: 0) == [])
}

@Test func `each language's text has a required width, an available width and an excess`() throws {
  let labels = ButtonProfile(
    name: "main", label: "Share", translations: [.japanese: "共有", .german: "Teilen!"], labelHeight: 3.5, labelWidth: 16
  ).labels
  #expect(labels.map(\.language) == [.english, .german, .japanese])
  #expect(labels.map(\.text) == ["Share", "Teilen!", "共有"])
  #expect(labels.map { ($0.needed ?? 0).rounded() } == [16, 22, 10] && labels.allSatisfy { $0.available == 16 })
  #expect(labels.map { $0.excess.map { ($0 * 10).rounded() } } == [nil, 57, nil])
  let undeclared = ButtonProfile(name: "main", label: "Share", labelWidth: 16).labels
  #expect(undeclared.map(\.language) == [nil] && undeclared[0].needed == nil && undeclared[0].excess == nil)
}

@Test func `every restriction has a name and a remedy`() {
  #expect(
    LegibilityProblem.allCases.map(\.rawValue) == [
      "indicator-missing", "indicator-dark", "indicator-too-dim", "indicator-too-short", "indicator-too-fast",
      "indicator-low-contrast", "label-too-small", "label-truncated",
    ])
  #expect(LegibilityProblem.allCases.allSatisfy { !$0.remedy.isEmpty })
}
