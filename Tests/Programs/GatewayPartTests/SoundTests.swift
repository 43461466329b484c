import Base
import Hardware
import RecordingClients
import Testing

@testable import Gateway

@Suite struct SoundTests {
  private let output = RecordingPowerSwitch()
  private let record = Record()

  private func sound(_ profile: SoundProfile = SoundProfile()) -> Sound {
    // The local time of the test is UTC.
    Sound(
      GatewayDependencies.Buzzer(output, profile) { time in
        Int(time.nanosecondsSince1970 / 60_000_000_000 % 1_440)
      })
  }

  /// Plays a signal, and lets time pass until the buzzer needs no further call.
  /// - Returns: The messages for the log, and the times of the changes in milliseconds.
  private func play(
    _ signal: SoundSignal, on sound: inout Sound, at time: Duration = .zero, isClockRight: Bool = true
  ) -> (lines: [String], times: [Int]) {
    var times: [Int] = []
    let lines = record.lines { outputs in
      var now = time
      var count = output.timeline.count
      sound.play(signal, isClockRight: isClockRight, at: clock(now))
      while true {
        if output.timeline.count > count { times.append(Int(now / .milliseconds(1))) }
        count = output.timeline.count
        guard let next = sound.nextDeadline(after: at(now)), next >= at(now), next < at(time + .seconds(10)) else {
          return
        }
        now = next - at(.zero)
        sound.pass(to: next, &outputs)
      }
    }
    return (lines, times)
  }

  /// Begins to play a signal at the beginning.
  private func begin(_ signal: SoundSignal, on sound: inout Sound, _ outputs: inout Outputs) {
    sound.play(signal, isClockRight: true, at: clock())
    sound.pass(to: at(.zero), &outputs)
  }

  @Test func `without a buzzer, nothing is due`() {
    var sound = Sound(nil)
    #expect(play(.question, on: &sound).times == [] && sound.nextDeadline(after: at(.zero)) == nil)
  }

  @Test func `a signal switches the buzzer at the ends of its phases, and ends silent`() {
    var sound = sound()
    #expect(play(.question, on: &sound).times == [0, 120, 240, 360])
    #expect(output.timeline == [true, false, true, false])
    #expect(sound.nextDeadline(after: at(.seconds(60))) == nil)
  }

  @Test func `a start silences a buzzer that sounds since an earlier run`() {
    var sound = sound()
    _ = record.lines { sound.start(at: at(.zero), &$0) }
    #expect(output.timeline == [false])
  }

  @Test func `a signal waits for the end of the playing signal and a pause, and a newer signal replaces it`() {
    var sound = sound()
    _ = record.lines { outputs in
      begin(.served, on: &sound, &outputs)
      sound.play(.refused, isClockRight: true, at: clock(.milliseconds(100)))
      sound.pass(to: at(.milliseconds(100)), &outputs)
    }
    let times = play(.nothingWaiting, on: &sound, at: .milliseconds(200)).times
    #expect(times == [400, 800, 880])
    #expect(output.timeline == [true, false, true, false])
  }

  @Test(arguments: [true, false])
  func `the end of the program, and a call that is late by a whole signal, end the signal`(isEnd: Bool) {
    var sound = sound()
    _ = record.lines { outputs in
      begin(.locked, on: &sound, &outputs)
      if isEnd { sound.stop(at: at(.milliseconds(10)), &outputs) } else { sound.pass(to: at(.seconds(5)), &outputs) }
    }
    #expect(output.timeline == [true, false])
  }

  // The beginning of the test is 07:22:30.
  @Test(
    arguments: [
      ("22:00-07:00", true, true), ("22:00-07:23", true, false), ("07:23-08:00", true, true),
      ("22:00-07:00", false, false), (nil, false, true),
    ] as [(String?, Bool, Bool)])
  func `nothing sounds in the quiet hours, nor with quiet hours while the time is unknown`(
    hours: String?, isClockRight: Bool, sounds: Bool
  ) {
    var sound = sound(SoundProfile(quiet: hours.flatMap { QuietHours($0) }))
    #expect(play(.question, on: &sound, isClockRight: isClockRight).times.isEmpty != sounds)
  }

  @Test func `an empty pattern is silent, and a configured pattern replaces the standard`() {
    let own = IndicatorPattern(phases: [.milliseconds(30)], repetitions: 1)
    var sound = sound(SoundProfile(patterns: [.served: IndicatorPattern.dark, .locked: own ?? .dark]))
    #expect(play(.served, on: &sound).times == [])
    #expect(play(.locked, on: &sound).times == [0, 30])
  }

  @Test func `a broken buzzer is reported once, tried again after growing pauses, and silenced when it works`() {
    var sound = sound()
    output.fault = HardwareError(.busy, "request", "GPIO line 5", cause: "it is in use")
    let (lines, times) = play(.question, on: &sound)
    #expect(lines == ["log warning: the buzzer does not work"] && times == [])
    #expect(sound.fault?.kind == .busy)
    // Attempts after 1, 2 and 4 s failed. The signals in between are lost.
    #expect(sound.nextDeadline(after: at(.seconds(10))) == at(.seconds(15)))
    output.fault = nil
    #expect(record.lines { sound.pass(to: at(.seconds(15)), &$0) } == ["log notice: the buzzer works again"])
    #expect(output.timeline == [false] && sound.fault == nil)
    #expect(sound.nextDeadline(after: at(.seconds(15))) == nil)
  }

  @Test func `a buzzer that cannot be silenced is tried until it is silent`() {
    var sound = sound()
    _ = record.lines { begin(.served, on: &sound, &$0) }
    output.fault = HardwareError(.failed, "drive", "GPIO line 5", cause: "no answer")
    _ = record.lines { sound.pass(to: at(.milliseconds(400)), &$0) }
    output.fault = nil
    _ = record.lines { sound.pass(to: at(.milliseconds(1400)), &$0) }
    #expect(output.timeline == [true, false])
  }
}
