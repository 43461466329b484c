import Hardware
import Requirements
import SimulatedHardware
import Testing

@Test func `the indicator records its changes and their times`() throws {
  let indicator = SimulatedIndicator()
  #expect(try indicator.sense() == false)
  for value in [true, true, false, true] {
    try indicator.drive(value)
    #expect(indicator.isLit == value)
    #expect(try indicator.sense() == value)
  }
  #expect(indicator.timeline.map(\.isLit) == [true, false, true])
  #expect(indicator.timeline.map(\.instant) == indicator.timeline.map(\.instant).sorted())
}

@Test func `a board without a sense input returns nil`() throws {
  let indicator = SimulatedIndicator(hasSense: false)
  try indicator.drive(true)
  #expect(try indicator.sense() == nil)
}

@Test func `an output with an error keeps its state and throws the error`() throws {
  let indicator = SimulatedIndicator()
  let fault = HardwareError(.failed, "drive", "LED", cause: "no such line")
  try indicator.drive(true)
  indicator.fault = .refusing(fault)
  #expect(throws: fault) { try indicator.drive(false) }
  #expect(indicator.isLit)
  indicator.fault = nil
  try indicator.drive(false)
  #expect(!indicator.isLit)
}

@Test func `a defective indicator accepts every value and stays dark`() throws {
  let indicator = SimulatedIndicator()
  indicator.fault = .dark
  try indicator.drive(true)
  #expect(try indicator.sense() == false)
  #expect(indicator.timeline.isEmpty)
  indicator.fault = nil
  #expect(try indicator.sense() == true)
  indicator.fault = .dark
  #expect(try indicator.sense() == false)
}

@Test(.patient)
func `every watcher receives every change, beginning with the current state`() async throws {
  let indicator = SimulatedIndicator()
  try indicator.drive(true)
  let (first, second) = (indicator.changes(), indicator.changes())
  try indicator.drive(false)
  try indicator.drive(true)
  for stream in [first, second] {
    var seen: [Bool] = []
    for await change in stream {
      seen.append(change.isLit)
      if seen.count == 3 { break }
    }
    #expect(seen == [true, false, true])
  }
}

@Test func `the timeline is bounded and contains the latest changes`() throws {
  let indicator = SimulatedIndicator()
  for number in 0..<5001 { try indicator.drive(number.isMultiple(of: 2)) }
  #expect((1...SimulatedIndicator.timelineCapacity).contains(indicator.timeline.count))
  #expect(indicator.timeline.last?.isLit == true)
}
