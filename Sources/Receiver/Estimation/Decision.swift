/// The decision about a measured position: which hypotheses accept the position, which hypothesis leads, and which
/// position is reported.
extension HorizontalFilter {
  /// Decides whether the hypotheses accept a position, updates them, and returns the position to report. Returns nil if
  /// the filter must restart at the position.
  mutating func decide(_ observation: Observation) -> Estimate? {
    let byPositions = positions.innovation(of: observation.position, variance: observation.variance)
    let byDoppler = doppler?.innovation(of: observation.position, variance: observation.variance)
    if let byDoppler { judgeDoppler(observation, byDoppler, byPositions) }
    // If the filter trusts Doppler, each of the two hypotheses can accept the position. If Doppler also leads, only the
    // hypothesis with Doppler velocities can accept the position.
    let trusted = trust.isTrusted ? doppler : nil
    let leads = trusted != nil && observation.step != nil && trust.leads
    /// Returns whether a trusted hypothesis accepts the position if its noise has the given variance.
    func isAccepted(_ variance: Double) -> Bool {
      func accepts(_ hypothesis: Hypothesis) -> Bool {
        hypothesis.innovation(of: observation.position, variance: variance).squared <= parameters.gate
      }
      return trusted.map(accepts) ?? false || !leads && accepts(positions)
    }
    let positionsAccept = byPositions.squared <= parameters.gate
    let dopplerAccepts = trusted != nil && byDoppler.map { $0.squared <= parameters.gate } ?? false
    let (isAccepted, isUsual) = (isAccepted(observation.variance), isAccepted(observation.usual))
    let isFree = fixes < parameters.freeFixes
    // Without Doppler velocities, only the motion before shows that a repeated position is old.
    let isSlow = isAccepted && positions.velocity.length <= parameters.repeatedSpeed
    let longest = isAccepted ? parameters.longestPlausibleRepetition : parameters.longestRepetition
    if trusted == nil, repetition > 0, repetition <= longest, !isSlow {
      return estimate(positions, observation.deviation)
    }
    if !isAccepted {
      // The first positions contradict each other, so no motion explains all of them. The filter restarts.
      if isFree { return nil }
      let confirmed = alternative.reject(
        observation, beginning: beginning(observation), usesDoppler: doppler != nil, parameters)
      let recovered = recovery.reject(observation, doppler ?? positions, sigma: sigma, parameters)
      if let hypothesis = recovered ?? (leads ? nil : confirmed) {
        if trusted != nil, recovered == nil { trust.lose(parameters) }
        positions = hypothesis
        if doppler != nil { doppler = hypothesis }
        accept(hypothesis.velocity)
        // The receiver has recovered, so the distances from the replaced hypothesis do not show its error.
        if recovered != nil { residuals = RunningMedian() }
        // At a large distance from its origin, the plane differs too much from the ground.
        return observation.position.length > Self.farthest ? nil : receiversOwn(observation.deviation)
      }
    }
    if positionsAccept || dopplerAccepts {
      positions.update(byPositions)
    } else {
      positions.update(byPositions, limitedTo: parameters.gate)
    }
    if let byDoppler {
      if dopplerAccepts {
        doppler?.update(byDoppler)
      } else if positionsAccept, trusted == nil {
        doppler?.adoptPosition(of: positions)
      } else {
        doppler?.update(byDoppler, limitedTo: parameters.gate)
      }
    }
    let reported = (dopplerAccepts || !isAccepted ? trusted.flatMap { _ in doppler } : nil) ?? positions
    if isAccepted { accept(reported.velocity) }
    // The receiver's own position is better if the receiver has already filtered it.
    let hasFiltered = observation.white < parameters.ownShare * observation.deviation
    let isOwnBest = isUsual && (!hasSettled || hasFiltered && (!isAtRest || observation.white <= parameters.holding))
    return isFree || isOwnBest ? receiversOwn(observation.deviation) : estimate(reported, observation.deviation)
  }

  /// Ends the search for another hypothesis, because a position was accepted.
  private mutating func accept(_ velocity: Offset) {
    (alternative, recovery) = (Alternative(velocity: velocity), Recovery())
  }

  /// Updates the trust in the Doppler velocities.
  private mutating func judgeDoppler(
    _ observation: Observation, _ byDoppler: Innovation, _ byPositions: Innovation
  ) {
    guard let doppler else { return }
    // If the epoch has no usable velocity, the code uses the latest velocity. In this case the comparison may reduce
    // the trust in the Doppler velocities, but it must not increase the trust.
    let latest = byDoppler.squared > byPositions.squared ? doppler.velocity.length : 0
    trust.compare(
      doppler: byDoppler, positions: byPositions, said: observation.speed ?? latest, moved: positions.velocity.length,
      after: observation.seconds, parameters)
    // The hypothesis with Doppler velocities can attribute a slowly growing distance to the receiver error. But the
    // receiver error has a known standard deviation, so such a distance must end.
    let distance = Innovation(
      offset: observation.position - doppler.position, predicted: sigma * sigma, measured: observation.variance)
    let isFar = distance.squared > parameters.gate || trust.leads && byDoppler.squared > parameters.gate
    contradicted = isFar && trust.isTrusted ? contradicted + observation.seconds : 0
    if contradicted > parameters.longestContradiction { trust.lose(parameters) }
  }

  /// Returns an alternative hypothesis that begins at a rejected position.
  private func beginning(_ observation: Observation) -> Hypothesis {
    // The hypothesis that rejects the position may have a completely wrong velocity. So the error of the velocity may
    // be as large as the velocity itself.
    let unknown = max(parameters.unknownVelocity, positions.velocity.length)
    return Hypothesis(
      at: observation.position, velocity: positions.velocity, noise: observation.variance,
      sigma: sigma, velocityVariance: unknown * unknown)
  }

  private var isAtRest: Bool { standstill.isAtRest && trust.isTrusted && age >= parameters.settlingRest }
}
