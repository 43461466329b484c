import Hardware
import SimulatedHardware
import Testing

@Test func `the sense input has the driven state`() throws {
  let indicator = SimulatedIndicator()
  #expect(try indicator.sense() == false)
  for value in [true, true, false, true] {
    try indicator.drive(value)
    #expect(indicator.isLit == value)
    #expect(try indicator.sense() == value)
  }
}

@Test func `an output with an error keeps its state and throws it, and a defective one accepts every value`() throws {
  let indicator = SimulatedIndicator()
  let fault = HardwareError(.failed, "drive", "LED", cause: "no such line")
  try indicator.drive(true)
  indicator.fault = .refusing(fault)
  #expect(throws: fault) { try indicator.drive(false) }
  #expect(indicator.isLit)
  indicator.fault = nil
  try indicator.drive(false)
  #expect(!indicator.isLit)
  // A defective indicator stays dark.
  indicator.fault = .dark
  try indicator.drive(true)
  #expect(try indicator.sense() == false)
  indicator.fault = nil
  #expect(try indicator.sense() == true)
  indicator.fault = .dark
  #expect(try indicator.sense() == false)
}
