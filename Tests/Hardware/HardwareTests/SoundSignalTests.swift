import Hardware
import Testing

@Suite struct SoundSignalTests {
  @Test func `the signals differ in the number and the lengths of their tones, and end within two seconds`() {
    let patterns = SoundSignal.allCases.map(\.standardPattern)
    #expect(Set(patterns).count == SoundSignal.allCases.count)
    for pattern in patterns {
      #expect(pattern.length.map { $0 < .seconds(2) } == true)
      // The last phase is a tone, so that the signal is silent afterwards.
      #expect(!pattern.phases.count.isMultiple(of: 2))
    }
  }

  @Test func `a question, a lock and a press without a request have the rhythm of the light`() {
    for (signal, indication) in [
      (SoundSignal.question, Indication.prompt), (.locked, .locked), (.nothingWaiting, .nothingWaiting),
    ] {
      let light = IndicatorPattern.standard(indication).phases
      for (tone, lit) in zip(signal.standardPattern.phases, light + light) { #expect(tone == lit) }
    }
  }

  @Test(arguments: [
    ("22:00-07:00", [(22 * 60, true), (1439, true), (0, true), (419, true), (420, false), (1319, false)]),
    ("12:30-13:00", [(749, false), (750, true), (779, true), (780, false), (0, false)]),
    ("00:00-23:59", [(0, true), (1438, true), (1439, false)]),
  ])
  func `quiet hours begin with their first minute, and end before their last`(
    text: String, minutes: [(Int, Bool)]
  ) throws {
    let hours = try #require(QuietHours(text))
    for (minute, isQuiet) in minutes { #expect(hours.contains(minute) == isQuiet) }
  }

  @Test(arguments: [
    "", "22:00", "22:00-", "22:00-22:00", "24:00-07:00", "22:60-07:00", "2:00-07:00", "22:00 - 07:00",
    "22:00-07:00-08:00",
    "22.00-07.00", "-1:00-07:00", "२२:00-07:00",
  ])
  func `other texts are no quiet hours`(text: String) { #expect(QuietHours(text) == nil) }
}
