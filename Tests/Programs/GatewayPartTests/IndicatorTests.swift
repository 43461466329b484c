import Disclosure
import Hardware
import SimulatedHardware
import Synchronization
import Testing

@testable import Gateway

/// An LED whose sense input follows only when the test lets it.
private final class LaggingIndicator: IndicatorOutput {
  private let state = Mutex((isDriven: false, isSeen: false))

  func drive(_ isLit: Bool) { state.withLock { $0.isDriven = isLit } }
  func sense() -> Bool? { state.withLock { $0.isSeen } }
  func follow() { state.withLock { $0.isSeen = $0.isDriven } }
}

@Suite struct IndicatorTests {
  private let output = SimulatedIndicator()

  private func indicator(_ label: LegibilityProblem? = nil) -> Indicator {
    Indicator(output, profile: IndicatorProfile(), labelRestriction: label, at: at(.zero))
  }

  /// Lets an indicator show a demand, and returns the resulting indication.
  private func show(
    _ indicator: inout Indicator, _ demand: Indicator.Demand = Indicator.Demand(), at time: Duration = .zero
  ) -> Indication {
    _ = indicator.show(demand, at: at(time))
    return indicator.shown
  }

  // MARK: Indications

  static let demands: [(Indicator.Demand, Indication)] = [
    (Indicator.Demand(), .off),
    (Indicator.Demand(isAcquiring: true), .acquiring),
    (Indicator.Demand(updates: .background, isAcquiring: true), .background),
    (Indicator.Demand(updates: .inUse, isAcquiring: true), .inUse),
    (Indicator.Demand(hasPrompt: true, updates: .inUse, isAcquiring: true), .prompt),
    (Indicator.Demand(isLocked: true, hasPrompt: true, updates: .inUse, isAcquiring: true), .off),
  ]

  @Test(arguments: demands)
  func `the use of a one-time fix is shown before everything but the lock, and then the most important demand`(
    demand: Indicator.Demand, indication: Indication
  ) {
    var indicator = indicator()
    #expect(indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero)) == .on)
    #expect(show(&indicator, demand, at: .seconds(2) - .nanoseconds(1)) == (demand.isLocked ? .off : .inUse))
    #expect(show(&indicator, demand, at: .seconds(2)) == indication)
  }

  @Test func `a button whose release would serve an app looks like a request that acquires`() {
    var indicator = indicator()
    indicator.press("main")
    #expect(show(&indicator) == .acquiring && indicator.isButtonReady)
    indicator.release("main")
    #expect(show(&indicator) == .off && !indicator.isButtonReady)
  }

  @Test func `owners are notified of each change once, and of no sign, which a use ends`() {
    var indicator = indicator()
    #expect(indicator.show(Indicator.Demand(), at: at(.zero)).changed == nil)
    let demand = Indicator.Demand(isAcquiring: true)
    #expect(indicator.show(demand, at: at(.zero)).changed == .acquiring)
    #expect(indicator.show(demand, at: at(.seconds(1))).changed == nil)
    indicator.show(sign: .nothingWaiting, for: .seconds(5), at: at(.seconds(1)))
    #expect(indicator.visible(at: at(.seconds(1))) == .nothingWaiting)
    #expect(indicator.show(demand, at: at(.seconds(1))).changed == nil)
    #expect(indicator.showUse(by: a, until: at(.seconds(4)), at: at(.seconds(2))) == .on)
    #expect(indicator.visible(at: at(.seconds(2))) == .inUse)
  }

  @Test func `an app is reported when its use begins, and when its use or the kill switch ends it`() {
    var indicator = indicator()
    for isLock in [false, true] {
      _ = indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero))
      #expect(indicator.takeChangedUsers() == [a])
      #expect(indicator.takeChangedUsers() == [])
      if isLock { indicator.changeLock(at: at(.seconds(1))) } else { _ = show(&indicator, at: .seconds(2)) }
      #expect(indicator.takeChangedUsers() == [a] && !indicator.isUsing(a) && !indicator.isUsed)
    }
    #expect(indicator.shown == .off && indicator.visible(at: at(.seconds(1))) == .locked)
  }

  @Test func `after the end the light is off`() {
    var indicator = indicator()
    _ = indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero))
    #expect(output.isLit)
    indicator.stop(at: at(.seconds(1)))
    #expect(!output.isLit && !indicator.isLit)
  }

  // MARK: The light of disclosures

  @Test func `the longest use of an app counts`() {
    var indicator = indicator()
    _ = indicator.showUse(by: a, until: at(.seconds(4)), at: at(.zero))
    _ = indicator.showUse(by: a, until: at(.seconds(2)), at: at(.seconds(1)))
    _ = indicator.show(Indicator.Demand(), at: at(.seconds(3)))
    #expect(indicator.isUsing(a) && !indicator.isUsing(b))
    #expect(indicator.nextDeadline(after: at(.seconds(3))).map { $0 <= at(.seconds(4)) } == true)
    _ = indicator.show(Indicator.Demand(), at: at(.seconds(4) - .nanoseconds(1)))
    #expect(indicator.isUsing(a))
    _ = indicator.show(Indicator.Demand(), at: at(.seconds(4)))
    #expect(!indicator.isUsing(a))
  }

  @Test(arguments: [true, false])
  func `a use that comes to nothing ends its light, and leaves the light of an earlier use`(isEarlierUse: Bool) {
    var indicator = indicator()
    if isEarlierUse { _ = indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero)) }
    _ = indicator.showUse(by: a, until: at(.seconds(3)), at: at(.seconds(1)))
    indicator.endUse(by: a)
    #expect(show(&indicator, at: .seconds(2) - .nanoseconds(1)) == (isEarlierUse ? .inUse : .off))
    #expect(indicator.isUsing(a) == isEarlierUse)
    #expect(show(&indicator, at: .seconds(2)) == .off && !indicator.isUsing(a))
  }

  @Test func `a light that cannot be driven is dark at once, with the remedy, until its output works again`() {
    output.fault = .refusing(HardwareError(.failed, "drive", "the LED", cause: "broken"))
    var indicator = indicator()
    let state = indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero))
    #expect(state == .dark(LegibilityProblem.indicatorMissing.remedy))
    #expect(indicator.visibilityRestriction == .indicatorMissing && indicator.restriction == .indicatorMissing)
    output.fault = nil
    _ = indicator.pass(to: at(.milliseconds(10)))
    #expect(indicator.restriction == nil && indicator.stateOfUpdates(at: at(.milliseconds(10))) == .on)
  }

  @Test func `a light that the sense input does not see is unseen for a second, and then dark`() {
    output.fault = .dark
    var indicator = indicator()
    #expect(indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero)) == .unseen)
    #expect(indicator.pass(to: at(.seconds(1) - .nanoseconds(1))) == false)
    #expect(indicator.pass(to: at(.seconds(1))) == true)
    let state = indicator.showUse(by: a, until: at(.seconds(3)), at: at(.seconds(1)))
    #expect(state == .dark(LegibilityProblem.indicatorDark.remedy))
  }

  @Test(arguments: [Indicator.Demand(updates: .background), Indicator.Demand(isAcquiring: true)])
  func `a broken light is dark after a second, also if its pattern blinks`(demand: Indicator.Demand) {
    output.fault = .dark
    var indicator = indicator()
    _ = indicator.show(demand, at: at(.zero))
    for time in stride(from: 20, to: 1000, by: 20) {
      #expect(indicator.pass(to: at(.milliseconds(time))) == false)
      #expect(indicator.stateOfUpdates(at: at(.milliseconds(time))) == .unseen, "\(time) ms")
    }
    #expect(indicator.pass(to: at(.seconds(1))) == true)
    #expect(indicator.visibilityRestriction == .indicatorDark)
  }

  @Test func `a light that is seen at the end of its phase works, also if the gateway was busy`() {
    let lagging = LaggingIndicator()
    var indicator = Indicator(lagging, profile: IndicatorProfile(), labelRestriction: nil, at: at(.zero))
    _ = indicator.show(Indicator.Demand(updates: .background), at: at(.zero))
    lagging.follow()
    _ = indicator.pass(to: at(.milliseconds(300)))
    lagging.follow()
    #expect(indicator.pass(to: at(.milliseconds(320))) == true)
    #expect(indicator.stateOfUpdates(at: at(.milliseconds(320))) == .on)
  }

  @Test func `a signal that is too short for the sense input does not make the light dark`() {
    let lagging = LaggingIndicator()
    var indicator = Indicator(lagging, profile: IndicatorProfile(), labelRestriction: nil, at: at(.zero))
    indicator.show(sign: .nothingWaiting, at: at(.zero))
    for time in [80, 200, 2000] { _ = indicator.pass(to: at(.milliseconds(time))) }
    #expect(indicator.visibilityRestriction == nil)
  }

  @Test func `disclosures that waited are tried again when the light is seen`() {
    let lagging = LaggingIndicator()
    var indicator = Indicator(lagging, profile: IndicatorProfile(), labelRestriction: nil, at: at(.zero))
    #expect(indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero)) == .unseen)
    #expect(indicator.stateOfUpdates(at: at(.zero)) == .unseen)
    #expect(indicator.pass(to: at(.milliseconds(20))) == false)
    lagging.follow()
    #expect(indicator.pass(to: at(.milliseconds(40))) == true)
    #expect(indicator.showUse(by: a, until: at(.seconds(2)), at: at(.milliseconds(40))) == .on)
    #expect(indicator.stateOfUpdates(at: at(.milliseconds(40))) == .on)
    #expect(indicator.pass(to: at(.milliseconds(60))) == false)
  }

  @Test func `when the light of updates goes on, what waited for it is tried again at once`() {
    var indicator = indicator()
    let demand = Indicator.Demand(updates: .background)
    #expect(indicator.show(demand, at: at(.zero)).isOnNow == true)
    #expect(indicator.show(demand, at: at(.milliseconds(1))).isOnNow == false)
    // A prompt hides the light of updates.
    let prompt = Indicator.Demand(hasPrompt: true, updates: .background)
    #expect(indicator.show(prompt, at: at(.seconds(1))).isOnNow == false)
    #expect(indicator.show(demand, at: at(.seconds(2))).isOnNow == true)
  }

  @Test(arguments: Indication.allCases)
  func `the light of updates is on only while it tells of location in use`(indication: Indication) {
    var indicator = indicator()
    let demand = Indicator.Demand(
      hasPrompt: indication == .prompt, updates: [.inUse, .background].contains(indication) ? indication : nil,
      isAcquiring: indication == .acquiring)
    _ = indicator.show(demand, at: at(.zero))
    if [.locked, .nothingWaiting].contains(indication) { indicator.show(sign: indication, at: at(.zero)) }
    #expect((indicator.stateOfUpdates(at: at(.zero)) == .on) == [.inUse, .background].contains(indication))
  }

  @Test func `a label that cannot be read keeps updates dark, and leaves the light of a press on`() {
    var indicator = indicator(.labelTooSmall)
    #expect(indicator.labelRemedy == LegibilityProblem.labelTooSmall.remedy)
    #expect(indicator.restriction == .labelTooSmall && indicator.visibilityRestriction == nil)
    #expect(indicator.showUse(by: a, until: at(.seconds(2)), at: at(.zero)) == .on)
    #expect(indicator.stateOfUpdates(at: at(.zero)) == .dark(LegibilityProblem.labelTooSmall.remedy))
  }

  // MARK: The driver

  @Test func `a signal is shown over the current indication and ends by itself`() {
    let output = SimulatedIndicator()
    var driver = IndicatorDriver(output, profile: IndicatorProfile(), at: at(.zero))
    driver.show(.inUse, at: at(.zero))
    driver.show(sign: .nothingWaiting, at: at(.milliseconds(100)))
    #expect(driver.visible(at: at(.milliseconds(100))) == .nothingWaiting)
    driver.refresh(at: at(.milliseconds(190)))
    #expect(!output.isLit)
    #expect(driver.nextChange(after: at(.milliseconds(190))) == at(.milliseconds(300)))
    driver.refresh(at: at(.milliseconds(300)))
    #expect(output.isLit)
    #expect(driver.visible(at: at(.milliseconds(300))) == .inUse)
  }

  @Test func `the dark phases of a pattern count as on, a signal over it does not`() {
    var driver = IndicatorDriver(SimulatedIndicator(), profile: IndicatorProfile(), at: at(.zero))
    driver.show(.background, at: at(.zero))
    driver.refresh(at: at(.milliseconds(500)))
    #expect(!driver.isLit)
    #expect(driver.isOn(at: at(.milliseconds(500))))
    driver.show(sign: .locked, at: at(.milliseconds(500)))
    #expect(!driver.isOn(at: at(.milliseconds(500))))
  }
}
