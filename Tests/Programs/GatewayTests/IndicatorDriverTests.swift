import Base
import Hardware
import SimulatedHardware
import Testing

@testable import Gateway

private func at(_ milliseconds: Int) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
}

@Test func `a signal is shown over the current indication and ends by itself`() {
  let output = SimulatedIndicator()
  var driver = IndicatorDriver(output, profile: IndicatorProfile(), at: at(0))
  driver.show(.inUse, at: at(0))
  driver.show(sign: .nothingWaiting, at: at(100))
  #expect(driver.visible(at: at(100)) == .nothingWaiting)
  driver.refresh(at: at(190))
  #expect(!output.isLit)
  #expect(driver.nextChange(after: at(190)) == at(300))
  driver.refresh(at: at(300))
  #expect(output.isLit)
  #expect(driver.visible(at: at(300)) == .inUse)
}

@Test func `the dark phases of a pattern count as on, a signal over it does not`() {
  var driver = IndicatorDriver(SimulatedIndicator(), profile: IndicatorProfile(), at: at(0))
  driver.show(.background, at: at(0))
  driver.refresh(at: at(500))
  #expect(!driver.isLit)
  #expect(driver.isOn(at: at(500)))
  driver.show(sign: .locked, at: at(500))
  #expect(!driver.isOn(at: at(500)))
}

@Test func `an output that fails and works again is on again`() {
  let output = SimulatedIndicator()
  var driver = IndicatorDriver(output, profile: IndicatorProfile(), at: at(0))
  output.fault = .refusing(HardwareError(.failed, "drive", "the LED", cause: "broken"))
  driver.show(.inUse, at: at(0))
  #expect(driver.restriction == .indicatorMissing)
  #expect(!driver.isOn(at: at(0)))
  output.fault = nil
  driver.refresh(at: at(10))
  #expect(driver.restriction == nil)
  #expect(driver.isOn(at: at(10)))
}
