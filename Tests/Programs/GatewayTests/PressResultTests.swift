import ControlledBoard
import Hardware
import Requirements
import SimulatedHardware
import Testing

@testable import Gateway

@Test(.patient)
func `a simulated press has the result of its own button, whichever button ends meanwhile`() async throws {
  try await Bench(
    confirmed(),
    buttons: { main, clock in
      // While the caller waits for the main button, a person presses the other one.
      let other = SimulatedButton(clock: clock.passing)
      return [
        .init(profile: ButtonProfile(name: "main"), input: main, press: { await other.press(for: $0) }),
        .init(profile: ButtonProfile(name: "other"), input: other, press: { await other.press(for: $0) }),
      ]
    }
  ).run { bench in
    let main = try await bench.gateway.press("main", for: nil, isHold: false)
    #expect(main == nil)
    let other = try await bench.gateway.press("other", for: nil, isHold: false)
    #expect(other?.release != nil)
  }
}
