import FoundationEssentials
import Repository
import Testing

@testable import Estimation

private let parameters = FilterParameters.standard

/// A number as in the documentation: without `.0`, and with a minus sign.
private func text(_ number: Double) -> String {
  let text = number == number.rounded() ? String(Int(number)) : String(number)
  return text.replacing("-", with: "−")
}

private func percent(_ share: Double) -> String { text((share * 100).rounded()) }

/// Parts of the page, with the constants of the filter.
private let statements: [String] = [
  "the receiver reports, at least \(text(parameters.leastError)) m.",
  "Δt²/2 Δt] q = \(text(parameters.acceleration)) m²/s³",
  "Without a trusted Doppler hypothesis q is \(text(parameters.accelerationAlone)) m²/s³",
  "σ_v² = \(text(parameters.velocityDeviation))² + (\(text(parameters.velocityShare)) · speed)²",
  "(\(text(parameters.velocityLag)) s · |v₁ − v|)²",
  "by more than \(text(parameters.mostAcceleration)) m/s² · Δt + 2 m/s",
  "exponential forgetting (\(text(parameters.calibrationTime)) s)",
  "are 0 ± \(text(parameters.scaleDeviation)) and 0 ± \(text(parameters.latencyDeviation)) s",
  "It is at least \(text(parameters.leastWhite)) m, at least \(text(parameters.leastWhiteShare)) σ, and at most "
    + "\(text(parameters.mostWhite)) m.",
  "*w* is \(text(parameters.assumedWhiteShare)) of the reported deviation",
  "accepts a position up to \(text(parameters.gate)) (99 %)",
  "R + (\(text(parameters.settlingShare)) σ e^(−t / \(text(parameters.settlingTime)) s))²",
  "The filter also starts again after \(text(parameters.longestGap)) s without a position",
  "If the score rises above \(text(parameters.trustLost)), the filter stops trusting Doppler.",
  "If it falls below \(text(parameters.trustRegained)), the filter trusts Doppler again.",
  "The lowest score is \(text(-parameters.mostTrust)).",
  "in full from \(text(parameters.fullSpeed)) m/s on",
  "the speed of the positions minus \(text(parameters.slowSpeed)) m/s",
  "After a loss of trust the score is \(text(parameters.distrust)).",
  "is above \(text(parameters.gate)) for \(text(parameters.longestContradiction)) s, the filter stops",
  "the same digits for \(text(parameters.repeatedCourse)) s at more than \(text(parameters.fullSpeed)) m/s",
  "exponential forgetting (\(text(parameters.courseTime)) s)",
  "if, for \(text(parameters.courseLasted)) s, the path is longer than \(text(parameters.courseLeast)) m",
  "by more than \(text(parameters.courseSigmas)) σ, and their lengths differ by less than "
    + "\(percent(parameters.courseSame)) %",
  "agreed with each other for \(text(parameters.agreed)) s",
  "after \(text(parameters.longestGap)) s of rejections in a row",
  "after \(text(parameters.drivenTime)) s, if the change of velocity is at most "
    + "\(text(parameters.drivenAcceleration)) m/s²",
  "have followed the velocities for \(text(parameters.recovered)) s",
  "(*w* < \(text(parameters.ownShare)) σ_now)",
  "During the first \(text(parameters.settlingOwn)) s the fix is the receiver's own position",
  "(*w* at most \(text(parameters.holding)) m)",
  "it reports no speed of \(text(parameters.restMost)) m/s or more",
  "after \(text(parameters.restMean / 2)) s, its position is within \(text(parameters.restReach)) s · *m*",
  "both means have a time constant of \(text(parameters.restMean)) s",
  "repeats its position at more than \(text(parameters.repeatedSpeed)) m/s",
  "more than \(text(parameters.repeatedWay)) m and three standard deviations",
  "must also be more than \(text(parameters.braking)) m/s² times",
  "without an alternative (q = \(text(parameters.climbing)) m²/s³)",
  "for at most \(text(parameters.longestCoasting)) s. The vehicle keeps its speed",
  "until the angle of the turn is \(text(parameters.mostTurn)) rad",
  "acceleration is \(text(parameters.coastingAcceleration)) m²/s³ from "
    + "\(text(parameters.coastingSpeeds.lowerBound)) to \(text(parameters.coastingSpeeds.upperBound)) m/s",
  "but not below \(text(parameters.leastCoastingAcceleration)) m²/s³",
  "Without a reported speed, the speed is \(text(parameters.unknownVelocity)) m/s",
  "`hacc` is at least \(text(parameters.residualScale)) times the \(percent(parameters.residualShare)) % quantile",
  "(the square of \(text(parameters.residualWhite)) *w* from the variance",
  "the filter subtracts \(text(parameters.restWhite)) *w* if the fix keeps its position",
  "is at least (\(text(parameters.mostWrong)) *o* + *d*) / 5",
  "\(text(AccuracyModel.radius68)) σ (Rayleigh quantile)",
  "max(HDOP, \(text(AccuracyModel.leastDilution))) · *u* / √2, or \(text(AccuracyModel.unknownDeviation)) m.",
  "√(\(text(AccuracyModel.speedDeviation))² + (\(text(AccuracyModel.speedDeviationShare)) *v*)²) m/s",
]

@Test func `the page about positioning states the constants of the filter`() throws {
  let path = "\(Repository.root)/Sources/Documentation/reference/positioning.md"
  let page = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isWhitespace)
    .joined(separator: " ")
  for statement in statements { #expect(page.contains(statement), "\(statement)") }
}
