import FoundationEssentials
import Repository
import Testing

@testable import Estimation

private let p = FilterParameters.standard

/// A number as in the documentation: without `.0`, and with a minus sign.
private func text(_ number: Double) -> String {
  let text = number == number.rounded() ? String(Int(number)) : String(number)
  return text.replacing("-", with: "−")
}

/// Parts of the page, with a `#` in the place of each constant of the filter.
private let statements: [(String, [Double])] = [
  ("the receiver reports, at least # m.", [p.leastError]), ("Δt²/2 Δt] q = # m²/s³", [p.acceleration]),
  ("Without a trusted Doppler hypothesis q is # m²/s³", [p.accelerationAlone]),
  ("σ_v² = #² + (# · speed)²", [p.velocityDeviation, p.velocityShare]), ("(# s · |v₁ − v|)²", [p.velocityLag]),
  ("by more than # m/s² · Δt + 2 m/s", [p.mostAcceleration]), ("exponential forgetting (# s)", [p.calibrationTime]),
  ("are 0 ± # and 0 ± # s", [p.scaleDeviation, p.latencyDeviation]),
  ("It is at least # m, at least # σ, and at most # m.", [p.leastWhite, p.leastWhiteShare, p.mostWhite]),
  ("*w* is # of the reported deviation", [p.assumedWhiteShare]), ("accepts a position up to # (99 %)", [p.gate]),
  ("R + (# σ e^(−t / # s))²", [p.settlingShare, p.settlingTime]),
  ("The filter also starts again after # s without a position", [p.longestGap]),
  ("If the score rises above #, the filter stops trusting Doppler.", [p.trustLost]),
  ("If it falls below #, the filter trusts Doppler again.", [p.trustRegained]),
  ("The lowest score is #.", [-p.mostTrust]), ("in full from # m/s on", [p.fullSpeed]),
  ("the speed of the positions minus # m/s", [p.slowSpeed]), ("After a loss of trust the score is #.", [p.distrust]),
  ("is above # for # s, the filter stops", [p.gate, p.longestContradiction]),
  ("the same digits for # s at more than # m/s", [p.repeatedCourse, p.fullSpeed]),
  ("exponential forgetting (# s)", [p.courseTime]),
  ("if, for # s, the path is longer than # m", [p.courseLasted, p.courseLeast]),
  ("by more than # σ, and their lengths differ by less than # %", [p.courseSigmas, (p.courseSame * 100).rounded()]),
  ("agreed with each other for # s", [p.agreed]), ("after # s of rejections in a row", [p.longestGap]),
  ("after # s, if the change of velocity is at most # m/s²", [p.drivenTime, p.drivenAcceleration]),
  ("have followed the velocities for # s", [p.recovered]), ("(*w* < # σ_now)", [p.ownShare]),
  ("During the first # s the fix is the receiver's own position", [p.settlingOwn]), ("(*w* at most # m)", [p.holding]),
  ("it reports no speed of # m/s or more", [p.restMost]),
  ("after # s, its position is within # s · *m*", [p.restMean / 2, p.restReach]),
  ("both means have a time constant of # s", [p.restMean]),
  ("repeats its position at more than # m/s", [p.repeatedSpeed]),
  ("more than # m and three standard deviations", [p.repeatedWay]),
  ("must also be more than # m/s² times", [p.braking]), ("without an alternative (q = # m²/s³)", [p.climbing]),
  ("for at most # s. The vehicle keeps its speed", [p.longestCoasting]),
  ("until the angle of the turn is # rad", [p.mostTurn]),
  ("acceleration is # m²/s³ from #", [p.coastingAcceleration, p.coastingSpeeds.lowerBound]),
  ("m²/s³ from # to # m/s", [p.coastingSpeeds.lowerBound, p.coastingSpeeds.upperBound]),
  ("but not below # m²/s³", [p.leastCoastingAcceleration]),
  ("Without a reported speed, the speed is # m/s", [p.unknownVelocity]),
  ("`hacc` is at least # times the # % quantile", [p.residualScale, (p.residualShare * 100).rounded()]),
  ("(the square of # *w* from the variance", [p.residualWhite]),
  ("the filter subtracts # *w* if the fix keeps its position", [p.restWhite]),
  ("is at least (# *o* + *d*) / 5", [p.mostWrong]), ("# σ (Rayleigh quantile)", [AccuracyModel.radius68]),
  ("max(HDOP, #) · *u* / √2, or # m.", [AccuracyModel.leastDilution, AccuracyModel.unknownDeviation]),
  ("√(#² + (# *v*)²) m/s", [AccuracyModel.speedDeviation, AccuracyModel.speedDeviationShare]),
]

@Test func `the page about positioning states the constants of the filter`() throws {
  let path = "\(Repository.root)/Sources/Documentation/reference/positioning.md"
  let page = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace)
    .joined(separator: " ")
  for (statement, constants) in statements {
    let expected = constants.reduce(statement) { $0.replacing("#", with: text($1), maxReplacements: 1) }
    #expect(page.contains(expected), "\(expected)")
  }
}
